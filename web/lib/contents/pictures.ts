import { essenceOf } from "../../../src/domain/contents/media-type.ts";
import type { ShownFile } from "./content-source.ts";
import { readWhole } from "./contents.ts";
import { previewKind } from "./preview-kind.ts";
import { isSimpleSvg } from "./svg-cost.ts";

export const SVG = "image/svg+xml";
export const MOST_SVG_BYTES = 1024 * 1024;
/** A larger picture is not shown in a document. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * An address for an SVG in an <img>; null if it is not simple: of 1 KB one can be made that holds the page for minutes.
 *
 * It runs no script there, but it would when opened in a new tab. With a `data:` address it has no origin even then.
 */
export async function svgAddress(content: Blob): Promise<string | null> {
  const text = await content.text();
  if (!isSimpleSvg(text)) return null;
  const { promise, resolve, reject } = Promise.withResolvers<string | null>();
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(typeof reader.result === "string" ? reader.result : null));
  reader.addEventListener("error", () => reject(reader.error));
  // What is drawn is what was measured, whatever encoding it says it has.
  reader.readAsDataURL(new Blob(["\ufeff", text], { type: SVG }));
  return promise;
}

/** An address for a picture in a document; null for what is none, too large or too complex. */
export async function pictureAddress(
  file: ShownFile,
  address: string,
  signal: AbortSignal,
): Promise<string | null> {
  if (previewKind(file) !== "image") return null;
  if (essenceOf(file.mime_type) !== SVG) return file.size <= MOST_BYTES ? address : null;
  if (file.size > MOST_SVG_BYTES) return null;
  return svgAddress(await readWhole(address, file, { signal, onProgress: () => {} }));
}
