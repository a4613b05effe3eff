import { THUMBNAIL_PIXELS, THUMBNAIL_TYPE } from "../../../src/domain/contents/thumbnail.ts";
import { ask } from "../api/api.ts";
import type { ShownFile } from "../contents/content-source.ts";
import { KeptContents } from "../contents/kept-contents.ts";
import { PdfReader } from "./pdf-reader.ts";

const KEPT_BYTES = 16 * 1024 * 1024;
/** What counts where nothing was drawn. */
const NOTHING_BYTES = 100;
/** In ms, to read what a small document consists of. */
const TIME_TO_OPEN = 3000;

/** Small pictures of the first pages of PDFs. One is drawn after another: each takes a worker. */
class FirstPages {
  readonly #drawn = new KeptContents<Blob | null>(KEPT_BYTES, (page) => page?.size ?? NOTHING_BYTES);
  #last: Promise<unknown> = Promise.resolve();

  /** Gives null where it cannot be drawn, or not in time. Rejects for who gave it up. */
  of(file: ShownFile, address: string, signal: AbortSignal): Promise<Blob | null> {
    return this.#drawn.get({ address, content_hash: file.content_hash }, () => {
      const turn = this.#last.then(async () => {
        const response = await ask(address, { signal });
        const value = await draw(await response.blob(), signal);
        return { value, etag: response.headers.get("etag") };
      });
      this.#last = turn.catch(() => {});
      return turn;
    });
  }
}

export const firstPages = new FirstPages();

async function draw(content: Blob, signal: AbortSignal): Promise<Blob | null> {
  const reader = new PdfReader(content, TIME_TO_OPEN);
  try {
    const opened = await reader.open();
    if (opened.kind === "refused" && opened.why === "unable")
      throw new Error("nothing can be drawn here now");
    const page = opened.kind === "opened" ? await reader.draw(1, THUMBNAIL_PIXELS.medium, signal) : null;
    // Else what was given up would be kept as what cannot be drawn.
    signal.throwIfAborted();
    return page === null ? null : await pictureOf(page.bitmap);
  } finally {
    reader[Symbol.dispose]();
  }
}

function pictureOf(bitmap: ImageBitmap): Promise<Blob> {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
  return canvas.convertToBlob({ type: THUMBNAIL_TYPE });
}
