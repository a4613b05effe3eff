import { GrepWork } from "./grep-work.ts";
import { BadPattern } from "./pattern.ts";
import type { FromGrepThread, ToGrepThread } from "./request.ts";

// The entry point of a thread that searches lines. It does one thing at a time.

declare const self: Worker;

const opened = Promise.withResolvers<GrepWork>();
// Who asks for something else after that failed gets the same error.
opened.promise.catch(() => {});

self.addEventListener("message", ({ data }: MessageEvent<ToGrepThread>) => {
  if (data.kind === "open") return open(data);
  void answer(data).then((message) => self.postMessage(message, []));
});

function open({ database, blobsDir, stop }: Extract<ToGrepThread, { kind: "open" }>): void {
  try {
    opened.resolve(new GrepWork({ database, blobsDir, stop: new Int32Array(stop) }));
  } catch (error) {
    opened.reject(error);
  }
}

async function answer(request: Exclude<ToGrepThread, { kind: "open" }>): Promise<FromGrepThread> {
  try {
    const work = await opened.promise;
    if (request.kind === "find") return { kind: "found", found: await work.find(request.request) };
    work.close();
    return { kind: "closed" };
  } catch (error) {
    if (error instanceof BadPattern) return { kind: "refused", problem: error.message };
    return { kind: "failed", message: error instanceof Error ? String(error.stack) : String(error) };
  }
}
