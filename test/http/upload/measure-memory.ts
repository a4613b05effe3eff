import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { readMultipartUpload } from "../../../src/http/upload/multipart.ts";

/** An upload of `bytes` of content between a beginning and an end. */
async function* send(start: string, bytes: number, end: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(start);
  for (let left = bytes; left > 0; left -= 65_536) yield Buffer.alloc(65_536, "A");
  yield Buffer.from(end);
}

let written = 0;
const write = async (piece: Uint8Array) => {
  written += piece.length;
};

function read(bytes: number): Promise<unknown> {
  if (process.argv[2] === "json") return readJsonUpload(send('{"content":"', bytes, '"}'), write);
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  return readMultipartUpload(send(head, bytes, "\r\n--b--\r\n"), "multipart/form-data; boundary=b", write);
}

await read(32 << 20);
Bun.gc(true);
const before = process.memoryUsage.rss();
written = 0;
await read(256 << 20);
if (written < 192 << 20) throw new Error(`only ${written} bytes came through`);
process.stdout.write(String(process.memoryUsage.rss() - before));
