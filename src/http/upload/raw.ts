import type { WriteContent } from "./write-content.ts";

/**
 * Passes on a body that is the content itself (`PUT /v0/files`), chunk by chunk.
 * Errors of the stream or of `write` are passed on unchanged; `body` is cancelled on the latter.
 */
export async function readRawUpload(body: AsyncIterable<Uint8Array>, write: WriteContent): Promise<void> {
  for await (const chunk of body) {
    if (chunk.length > 0) await write(chunk);
  }
}
