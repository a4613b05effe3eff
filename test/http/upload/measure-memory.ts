import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { readMultipartUpload } from "../../../src/http/upload/multipart.ts";

/** An upload of `bytes` of content between a beginning and an end. */
function send(start: string, bytes: number, end: string): ReadableStream<Uint8Array> {
  const chunk = Buffer.alloc(65_536, "A");
  let left = bytes;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(Buffer.from(start)),
      pull(controller) {
        if (left <= 0) {
          controller.enqueue(Buffer.from(end));
          return controller.close();
        }
        controller.enqueue(chunk.subarray().slice());
        left -= chunk.length;
      },
    },
    { highWaterMark: 0 },
  );
}

let written = 0;
const write = async (piece: Uint8Array) => {
  written += piece.length;
};

async function read(bytes: number): Promise<void> {
  if (process.argv[2] === "json") {
    await readJsonUpload(send('{"content":"', bytes, '"}'), write);
    return;
  }
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  await readMultipartUpload(send(head, bytes, "\r\n--b--\r\n"), "multipart/form-data; boundary=b", write);
}

await read(32 << 20);
Bun.gc(true);
const before = process.memoryUsage.rss();
written = 0;
await read(256 << 20);
if (written < 192 << 20) throw new Error(`only ${written} bytes came through`);
process.stdout.write(String(process.memoryUsage.rss() - before));
