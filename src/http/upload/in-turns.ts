import { setImmediate as nextTurn } from "node:timers/promises";

/** How much is parsed in one turn: each escape of JSON, and each line of a form, takes as long as many other bytes. */
const TURN_BYTES = 128 * 1024;

/** A body in short chunks, between which others have their turn: what has arrived already comes without a wait. */
export async function* inTurns(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parsed = 0;
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += TURN_BYTES) {
      const piece = chunk.subarray(at, at + TURN_BYTES);
      yield piece;
      parsed += piece.length;
      if (parsed < TURN_BYTES) continue;
      parsed = 0;
      await nextTurn();
    }
  }
}
