import { deflateSync, zipSync } from "fflate";
import type { Json, Client } from "../server/client.ts";

export interface BatchAnswer {
  readonly results: readonly {
    readonly path: string;
    readonly status: string;
    readonly id?: string;
    readonly etag?: string;
    readonly line?: number;
    readonly error?: { readonly code: string; readonly message: string };
  }[];
  readonly created: number;
  readonly replaced: number;
  readonly skipped: number;
  readonly failed: number;
  readonly batch_id: string | null;
}

export const LINES = "application/jsonl";
export const TAR = "application/x-tar";
export const ZIP = "application/zip";

/** A body of lines of JSON. */
export function linesOf(files: readonly Json[]): string {
  return files.map((file) => JSON.stringify(file)).join("\n");
}

/** Files by their paths as such a body. */
export function textsOf(files: Readonly<Record<string, string>>): string {
  return linesOf(Object.entries(files).map(([path, text]) => ({ path, text })));
}

type BatchBody = string | Uint8Array<ArrayBuffer>;

/** Writes a batch, which must succeed. @param query has no `?`, and begins with `&` if it is not empty */
export function writeBatch(client: Client, drive: string, body: BatchBody, query = "", type = LINES) {
  const headers = { "content-type": type };
  return client.json<BatchAnswer>(200, "POST", `/v0/files/batch?drive_id=${drive}${query}`, {
    body,
    headers,
  });
}

/** What became of each file, such as `a.txt created` or `b.txt CONFLICT`. */
export function outcomesIn({ results }: BatchAnswer): string[] {
  return results.map(({ path, status, error }) => `${path} ${error?.code ?? status}`);
}

interface TarEntry {
  readonly name: string;
  readonly content?: Uint8Array | string;
  /** `0` for a file. */
  readonly type?: string;
  /** In the header, if it is not that of the content. */
  readonly size?: number;
}

/** A tar archive, of entries that no archiver would write. */
export function tarOf(entries: readonly TarEntry[]): Uint8Array<ArrayBuffer> {
  const blocks = entries.map(({ name, content = "", type = "0", size }) => {
    const bytes = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write((size ?? bytes.length).toString(8).padStart(11, "0"), 124);
    header.write(" ".repeat(8), 148);
    header.write(type, 156);
    header.write("ustar\u000000", 257);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\u0000 `, 148);
    return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
  });
  return new Uint8Array(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A ZIP archive with one more entry at its start, which has these flags and is packed in this way. */
export function zipWith(
  name: string,
  flags: number,
  method: number,
  content = "secret",
): Uint8Array<ArrayBuffer> {
  const packed = method === 8 ? Buffer.from(deflateSync(Buffer.from(content))) : Buffer.from(content);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt32LE(Bun.hash.crc32(content), 14);
  header.writeUInt32LE(packed.length, 18);
  header.writeUInt32LE(Buffer.byteLength(content), 22);
  header.writeUInt16LE(Buffer.byteLength(name), 26);
  const rest = zipSync({ "last.txt": Buffer.from("last") });
  return new Uint8Array(Buffer.concat([header, Buffer.from(name), packed, rest]));
}
