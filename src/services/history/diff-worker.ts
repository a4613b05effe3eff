import { diffOf, type DiffRequest, type FromDiffThread } from "./diff-request.ts";

// The entry point of a thread that compares texts. It does one thing at a time.

declare const self: Worker;

self.addEventListener("message", ({ data }: MessageEvent<DiffRequest>) => self.postMessage(answer(data), []));

function answer(request: DiffRequest): FromDiffThread {
  try {
    return { diff: diffOf(request) };
  } catch (error) {
    return { failure: error instanceof Error ? String(error.stack) : String(error) };
  }
}
