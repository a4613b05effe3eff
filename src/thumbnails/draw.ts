import {
  type Drawing,
  type DrawingRefusal,
  THUMBNAIL_LIMITS,
  THUMBNAIL_PIXELS,
  type ThumbnailSize,
} from "../domain/contents/thumbnail.ts";
import { codeOf } from "../domain/errors.ts";
import { withinBounds } from "../process/own-process.ts";

const QUALITY = 80;

/**
 * Draws a thumbnail of a picture: the first frame, turned as its camera says, without what else is written in it. Only
 * in a process that is there for it alone: nothing else ends a decoder that takes too much time or memory, and a
 * hostile picture may bring one down.
 */
export async function drawThumbnail(size: ThumbnailSize, picture: Uint8Array): Promise<Drawing> {
  const done = await withinBounds(THUMBNAIL_LIMITS, draw(THUMBNAIL_PIXELS[size], picture));
  return typeof done === "string" ? { kind: "refused", why: done } : done;
}

async function draw(side: number, picture: Uint8Array): Promise<Drawing> {
  // The same decoders on every system, and no others.
  Bun.Image.backend = "bun";
  try {
    const bytes = await new Bun.Image(picture, { maxPixels: THUMBNAIL_LIMITS.pixels })
      .resize(side, side, { fit: "inside", withoutEnlargement: true })
      .webp({ quality: QUALITY })
      .bytes();
    if (bytes.length > THUMBNAIL_LIMITS.outputBytes) return { kind: "refused", why: "damaged" };
    return { kind: "drawn", bytes: new Uint8Array(bytes) };
  } catch (error) {
    return { kind: "refused", why: refusalOf(error) };
  }
}

function refusalOf(error: unknown): DrawingRefusal {
  switch (codeOf(error)) {
    case "ERR_IMAGE_TOO_MANY_PIXELS":
      return "pixels";
    case "ERR_IMAGE_UNKNOWN_FORMAT":
    case "ERR_IMAGE_FORMAT_UNSUPPORTED":
      return "mismatch";
    default:
      return "damaged";
  }
}
