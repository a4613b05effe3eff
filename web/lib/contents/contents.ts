import { ask } from "../api/api.ts";
import { KeptContents } from "./kept-contents.ts";
import { shownText } from "./shown-text.ts";
import type { DocumentText, FileRecord } from "../api/types.ts";

/** How much of a text is shown, in bytes. */
export const TEXT_BYTES = 1024 * 1024;

/** How much is kept of texts, in characters, and of whole contents, in bytes. A larger content is not. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEPT_BYTES = 96 * 1024 * 1024;
const texts = new KeptContents<TextStart>(KEPT_CHARACTERS, ({ text }) => text?.length ?? 0);
const wholes = new KeptContents<Blob>(KEPT_BYTES, ({ size }) => size);

export interface TextStart {
  /** As it can be shown at once (`shownText`); null where the file is not a text. */
  readonly text: string | null;
  /** Whether the file goes on after it. */
  readonly isCut: boolean;
}

/** The text of a document, at most about `TEXT_BYTES` of it. The server reads it, which may take seconds. */
export function readDocument(
  address: string,
  { content_hash }: Pick<FileRecord, "content_hash">,
  signal: AbortSignal,
): Promise<TextStart> {
  return texts.get({ address, content_hash }, async () => {
    const response = await ask(address, { signal });
    const { content, truncated }: DocumentText = JSON.parse(await response.text());
    const text = content.slice(0, TEXT_BYTES);
    const isCut = truncated === true || text.length < content.length;
    return { value: { text: shownText(text), isCut }, etag: response.headers.get("etag") };
  });
}

/** Reads at most `TEXT_BYTES` of the content of a file at an address. */
export async function readTextStart(
  address: string,
  { size, content_hash }: Pick<FileRecord, "size" | "content_hash">,
  signal: AbortSignal,
): Promise<TextStart> {
  if (size === 0) return { text: "", isCut: false };
  return texts.get({ address, content_hash }, async () => {
    const headers = { range: `bytes=0-${TEXT_BYTES - 1}` };
    // Where the file has changed, Chromium gives as much of it as its cache has of what it was before.
    const response = await ask(address, { headers, signal, cache: "no-store" });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const isCut = size > bytes.length;
    const text = decodeText(bytes, isCut);
    const value = { text: text === null ? null : shownText(text), isCut };
    return { value, etag: response.headers.get("etag") };
  });
}

/**
 * Decodes bytes: as UTF-16 if they begin with a byte order mark of it, else as UTF-8 if they are valid, else as
 * Latin-1. Null if they have a NUL, which no text has. If `isCut`, an incomplete character at the end is dropped.
 */
function decodeText(bytes: Uint8Array, isCut: boolean): string | null {
  const marked = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : null;
  const encoding = bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : marked;
  if (encoding !== null) return new TextDecoder(encoding).decode(bytes, { stream: isCut });
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Reads the whole content of a file at an address; `onProgress` is called with the bytes received so far. */
export function readWhole(
  address: string,
  { content_hash }: Pick<FileRecord, "content_hash">,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (received: number) => void },
): Promise<Blob> {
  return wholes.get({ address, content_hash }, async () => {
    const response = await ask(address, { signal });
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let received = 0;
    // Not `for await`: streams are not iterable in WebKit.
    const reader = response.body?.getReader();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      pieces.push(read.value);
      received += read.value.length;
      onProgress(received);
    }
    return { value: new Blob(pieces), etag: response.headers.get("etag") };
  });
}
