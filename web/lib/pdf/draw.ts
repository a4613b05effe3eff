import { getDocument, type PDFDocumentProxy, type PDFPageProxy, type PageViewport, Util } from "unpdf/pdfjs";
import { linkOf } from "./link.ts";
import { BoundedCanvases, NoFilters } from "./canvases.ts";
import type { FromPdfWorker, PageLink, PageText, ToPdfWorker } from "./messages.ts";

/** Of a page, in pixels. */
const MOST_PIXELS = 6 * 1024 * 1024;
const MOST_SIDE = 8192;
/** Of an image in a page. */
const MOST_IMAGE_PIXELS = 64 * 1024 * 1024;
/** A page that is so much longer than wide, or wider than long, is not shown. */
const MOST_RATIO = 50;
/** Of a page; a dense page of a newspaper has about 20,000 characters. */
const MOST_TEXTS = 4000;
const MOST_CHARACTERS = 40_000;
const MOST_OF_TEXT = 500;
const MOST_LINKS = 500;

/** One document, in the worker that is there for it alone. */
export class PdfDrawer {
  #document: PDFDocumentProxy | null = null;

  /** Does what the page asks for. Whatever a parser throws is about the document. */
  async answer(asked: ToPdfWorker): Promise<FromPdfWorker> {
    try {
      if (asked.kind === "open") return await this.#open(asked.data);
      if (this.#document === null) return { kind: "failed" };
      return await draw(await this.#document.getPage(asked.page), asked.width);
    } catch (error) {
      if (asked.kind === "draw") return { kind: "failed" };
      const isLocked = error instanceof Error && error.name === "PasswordException";
      return { kind: "refused", why: isLocked ? "password" : "damaged" };
    }
  }

  /** Nothing is loaded from elsewhere, and no script of the document is run: the part of pdf.js that does is not here. */
  async #open(data: ArrayBuffer): Promise<FromPdfWorker> {
    const parameters: object = {
      data: new Uint8Array(data),
      CanvasFactory: BoundedCanvases,
      FilterFactory: NoFilters,
      // All that pdf.js asks of a page's document here.
      ownerDocument: { fonts: self.fonts },
      maxImageSize: MOST_IMAGE_PIXELS,
      useWorkerFetch: false,
      useWasm: false,
      // Only errors.
      verbosity: 0,
    };
    const document = await getDocument(parameters).promise;
    const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
    this.#document = document;
    return { kind: "opened", pages: document.numPages, ratio: boundedRatio(width / height) };
  }
}

function boundedRatio(ratio: number): number {
  return Math.min(Math.max(ratio, 1 / MOST_RATIO), MOST_RATIO);
}

async function draw(page: PDFPageProxy, wanted: number): Promise<FromPdfWorker> {
  const natural = page.getViewport({ scale: 1 });
  const { width, height } = natural;
  if (boundedRatio(width / height) !== width / height) return { kind: "failed" };
  const scale = Math.min(
    wanted / width,
    MOST_SIDE / Math.max(width, height),
    Math.sqrt(MOST_PIXELS / width / height),
  );
  const viewport = page.getViewport({ scale });
  const canvas = new OffscreenCanvas(Math.ceil(viewport.width), Math.ceil(viewport.height));
  // To pdf.js's types, only a canvas in a page has a context.
  const target = {
    canvas: null,
    canvasContext: canvas.getContext("2d", { willReadFrequently: true }),
    viewport,
  };
  const parameters: { readonly canvas: null; readonly viewport: PageViewport } = target;
  await page.render(parameters).promise;
  const drawn = { bitmap: canvas.transferToImageBitmap(), width, height };
  const [texts, links] = [await textsOf(page, natural), await linksOf(page, natural)];
  page.cleanup();
  return { kind: "drawn", ...drawn, texts, links };
}

async function textsOf(page: PDFPageProxy, viewport: PageViewport): Promise<PageText[]> {
  const { items } = await page.getTextContent();
  const texts: PageText[] = [];
  let characters = 0;
  for (const item of items) {
    if (!("str" in item) || item.str === "") continue;
    const text = item.str.slice(0, MOST_OF_TEXT);
    characters += text.length;
    if (texts.length === MOST_TEXTS || characters > MOST_CHARACTERS) break;
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0]: number[] = Util.transform(
      viewport.transform,
      item.transform,
    );
    const angle = (Math.atan2(b, a) * 180) / Math.PI;
    texts.push({ text, x, y, size: Math.hypot(c, d), width: item.width, angle });
  }
  return texts;
}

async function linksOf(page: PDFPageProxy, viewport: PageViewport): Promise<PageLink[]> {
  const links: PageLink[] = [];
  const annotations: readonly { readonly url?: unknown; readonly rect: readonly number[] }[] =
    await page.getAnnotations();
  for (const { url, rect } of annotations) {
    if (links.length === MOST_LINKS) break;
    const href = linkOf(url);
    if (href === null) continue;
    const [left = 0, bottom = 0, right = 0, top = 0] = rect;
    const [x1 = 0, y1 = 0]: number[] = viewport.convertToViewportPoint(left, bottom);
    const [x2 = 0, y2 = 0]: number[] = viewport.convertToViewportPoint(right, top);
    links.push({
      href,
      x: Math.min(x1, x2),
      y: Math.min(y1, y2),
      width: Math.abs(x2 - x1),
      height: Math.abs(y2 - y1),
    });
  }
  return links;
}
