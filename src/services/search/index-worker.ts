import type { BatchId, DrivePk, FilePk } from "../../domain/id.ts";
import { answerCalls } from "../../process/answer-calls.ts";
import { giveWay } from "../../process/thread-priority.ts";
import type { StorePlaces } from "../store-places.ts";
import { type BatchRequest, IndexWork } from "./index-work.ts";

// The entry point of the thread that writes the full-text index. Whatever failed is done again: the jobs stay until the
// index has them.

// With each upload it has as much to do as the main thread.
giveWay();

const opened = Promise.withResolvers<IndexWork>();

const calls = {
  /** See `IndexWork.open`. Returns whether the index is new. */
  open: async (places: StorePlaces, batch: BatchId | null, fresh: BatchId) => {
    const { work, isNew } = await IndexWork.open(places, batch, fresh);
    opened.resolve(work);
    return isNew;
  },
  index: async (batch: BatchRequest) => (await opened.promise).index(batch),
  document: async (after: DrivePk | null, upTo: number) => (await opened.promise).nextDocument(after, upTo),
  lacking: async (after: FilePk) => (await opened.promise).lacking(after),
  merge: async () => (await opened.promise).merge(),
  release: async () => (await opened.promise).release(),
  close: async (batch: BatchId | null) => (await opened.promise).close(batch),
};

export type IndexCalls = typeof calls;

answerCalls(calls);
