import { MIB } from "../limits.ts";
import { essenceOf } from "./media-type.ts";

/** The most pixels on each side of a thumbnail: for a row of a list, for a grid, for a screen. */
export const THUMBNAIL_PIXELS = { small: 96, medium: 384, large: 1536 } as const;

export type ThumbnailSize = keyof typeof THUMBNAIL_PIXELS;

export const THUMBNAIL_SIZES = ["small", "medium", "large"] as const satisfies readonly ThumbnailSize[];

/** The type of every thumbnail. */
export const THUMBNAIL_TYPE = "image/webp";

/** What drawing one thumbnail may take. */
export const THUMBNAIL_LIMITS = {
  /** Of the picture. */
  inputBytes: 64 * MIB,
  /** Of the picture, width times height. */
  pixels: 100_000_000,
  /** After this many milliseconds it is given up. */
  ms: 10_000,
  /** Of the process that draws it. */
  memory: 512 * MIB,
  /** Of the thumbnail: a colour profile goes with it, which may be long. */
  outputBytes: MIB,
} as const;

/** How many thumbnails are drawn at once, and how many requests may wait for that; see `OwnerTurns`. */
export const THUMBNAIL_TURNS = {
  running: 2,
  runningEach: 2,
  runningUnclaimed: 1,
  waitingEach: 100,
  waiting: 400,
} as const;

/** How many bytes of thumbnails are kept. Those that were not used for longest go first. */
export const THUMBNAIL_STORE_BYTES = 256 * MIB;

/** SVG is none of them: it is a program for a browser, and no picture of pixels. */
const DRAWABLE = /^image\/(png|jpeg|webp|gif|bmp|x-ms-bmp)$/;

/** Whether thumbnails are made of contents of a type, and for so many bytes. */
export function isDrawable(mimeType: string, bytes: number): boolean {
  return isPictureType(mimeType) && bytes > 0 && bytes <= THUMBNAIL_LIMITS.inputBytes;
}

/** Whether a type is that of a picture that can be drawn. */
export function isPictureType(mimeType: string): boolean {
  return DRAWABLE.test(essenceOf(mimeType));
}

export function parseThumbnailSize(name: string | undefined): ThumbnailSize | null {
  return THUMBNAIL_SIZES.find((size) => size === name) ?? null;
}

/** Why there is no thumbnail: it is no picture, is malformed, has too many pixels, or takes too much to draw. */
const REFUSALS = ["mismatch", "damaged", "pixels", "time", "memory"] as const;
export type DrawingRefusal = (typeof REFUSALS)[number];

/** What drawing came to. */
export type Drawing =
  | { readonly kind: "drawn"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "refused"; readonly why: DrawingRefusal };

/** A drawing as bytes, from one process to another: a word, a line end, then the thumbnail. */
export function encodeDrawing(drawing: Drawing): Uint8Array {
  if (drawing.kind === "refused") return new TextEncoder().encode(`${drawing.why}\n`);
  const head = new TextEncoder().encode("drawn\n");
  const encoded = new Uint8Array(head.length + drawing.bytes.length);
  encoded.set(head);
  encoded.set(drawing.bytes, head.length);
  return encoded;
}

/** What `encodeDrawing` made; null for anything else, as of a process that was ended meanwhile. */
export function decodeDrawing(encoded: Uint8Array<ArrayBuffer>): Drawing | null {
  const end = encoded.indexOf(0x0a);
  const word = new TextDecoder().decode(encoded.subarray(0, Math.max(0, end)));
  const bytes = encoded.subarray(end + 1);
  if (word === "drawn") return isWhole(bytes) ? { kind: "drawn", bytes } : null;
  const why = REFUSALS.find((refusal) => refusal === word);
  return why === undefined ? null : { kind: "refused", why };
}

/** Whether bytes are a whole WebP, by the length in its head (RFC 9649, 2.4). */
export function isWhole(bytes: Uint8Array): boolean {
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const hasHead = bytes.length >= 12 && head.getUint32(0) === 0x52494646 && head.getUint32(8) === 0x57454250;
  return hasHead && head.getUint32(4, true) + 8 === bytes.length;
}
