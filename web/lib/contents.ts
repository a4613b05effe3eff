import { ask } from "./api.ts";
import { downloadAddress } from "./files.ts";
import type { FileRecord } from "./types.ts";

/** The most of a text that is shown, in bytes. */
export const TEXT_BYTES = 1024 * 1024;

/** The start of a file as text; null where it is none. */
export interface TextStart {
  readonly text: string | null;
  /** Whether there is more of it than is here. */
  readonly isCut: boolean;
}

/** Reads at most `TEXT_BYTES` of a file. */
export async function readTextStart(file: FileRecord, signal: AbortSignal): Promise<TextStart> {
  if (file.size === 0) return { text: "", isCut: false };
  const headers = { range: `bytes=0-${TEXT_BYTES - 1}` };
  const response = await ask(downloadAddress(file.id), { headers, signal });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isCut = file.size > bytes.length;
  return { text: decodeText(bytes, isCut), isCut };
}

/**
 * Bytes as text: UTF-8, UTF-16 where a mark says so, else Latin-1. Null for what no text has in it. Where
 * there is more of it, a character that is cut off at the end is left out.
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

/** Reads a file whole; `onProgress` is told the bytes that have come. */
export async function readWhole(
  file: FileRecord,
  signal: AbortSignal,
  onProgress: (received: number) => void,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const response = await ask(downloadAddress(file.id), { signal });
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  // Not `for await`, which WebKit's streams do not know.
  const reader = response.body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    pieces.push(read.value);
    received += read.value.length;
    onProgress(received);
  }
  return pieces;
}
