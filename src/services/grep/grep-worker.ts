import { answerCalls } from "../../process/answer-calls.ts";
import type { StorePlaces } from "../store-places.ts";
import { GrepWork } from "./grep-work.ts";
import { BadPattern } from "./pattern.ts";
import type { GrepAnswer, GrepRequest } from "./request.ts";

// The entry point of a thread that searches lines.

const opened = Promise.withResolvers<GrepWork>();

const calls = {
  /** @param stop one cell: what is running stops once it is not 0 */
  open: (places: StorePlaces, stop: SharedArrayBuffer) => {
    opened.resolve(new GrepWork({ ...places, stop: new Int32Array(stop) }));
  },
  find: async (request: GrepRequest): Promise<GrepAnswer> => {
    const work = await opened.promise;
    try {
      return { found: await work.find(request) };
    } catch (error) {
      if (error instanceof BadPattern) return { problem: error.message };
      throw error;
    }
  },
  close: async () => (await opened.promise).close(),
};

export type GrepCalls = typeof calls;

answerCalls(calls);
