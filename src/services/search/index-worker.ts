import { isDamage } from "../../db/search/index-tables.ts";
import { hadNoRoomToOpen } from "../../db/engine/write-failures.ts";
import { giveWay } from "../../process/thread-priority.ts";
import type { IndexAnswer, IndexRequest } from "./index-thread.ts";
import { IndexWork } from "./index-work.ts";

// The entry point of the thread that writes the full-text index.

declare const self: Worker;

// With each upload it has as much to do as the main thread.
giveWay();

const opened = Promise.withResolvers<IndexWork>();
// Who asks for something else after that failed gets the same error.
opened.promise.catch(() => {});

self.addEventListener("message", ({ data }: MessageEvent<IndexRequest>) => {
  void answer(data).then((message) => self.postMessage(message, []));
});

async function answer(request: IndexRequest): Promise<IndexAnswer> {
  try {
    return await perform(request);
  } catch (error) {
    // Whatever failed is done again: the jobs stay until the index has them.
    if (hadNoRoomToOpen(error)) return { kind: "full" };
    if (isDamage(error)) return { kind: "damaged" };
    return { kind: "failed", message: error instanceof Error ? String(error.stack) : String(error) };
  }
}

async function perform(request: IndexRequest): Promise<IndexAnswer> {
  if (request.kind === "open") {
    const { work, isNew } = await IndexWork.open(request.places, request.batch, request.fresh);
    opened.resolve(work);
    return { kind: "opened", isNew };
  }
  const work = await opened.promise;
  switch (request.kind) {
    case "index":
      return { kind: "indexed", done: await work.index(request.batch) };
    case "document":
      return { kind: "document", job: work.nextDocument(request.after, request.upTo) };
    case "lacking":
      return { kind: "lacking", files: work.lacking(request.after) };
    case "merge":
      return { kind: "eased", isMore: work.merge() };
    case "release":
      return { kind: "eased", isMore: work.release() };
    case "close":
      work.close(request.batch);
      return { kind: "closed" };
  }
}
