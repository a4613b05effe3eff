import { afterAll, expect, test } from "bun:test";
import { cp, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { CHANGES, isOneCommit, prepare, QUIET, stateOf } from "../../support/faults/changes.ts";
import { serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { verified } from "../../support/faults/verified.ts";

const prepared = await prepare(FAST_DIRECTORY);
afterAll(() => prepared[Symbol.asyncDispose]());

// https://sqlite.org/fileformat2.html#walformat
const LOG_HEADER = 32;
const FRAME_HEADER = 24;
const FRAME = FRAME_HEADER + 4096;

/** Where SQLite's writes of these bytes of a log end, and somewhere within each page. */
function* cuts(from: number, to: number): Generator<number> {
  for (let frame = Math.max(from, LOG_HEADER); frame < to; frame += FRAME) {
    yield frame;
    yield frame + FRAME_HEADER;
    yield frame + FRAME_HEADER + 1000;
  }
  yield to;
}

test.each(CHANGES.filter(isOneCommit))(
  "$name leaves a log that is whole wherever it is cut: the old state or the new one",
  async (change) => {
    await using place = await prepared.copied();
    const [dataDir, cut] = [place.dataDir, join(place.path, "cut")];
    await using first = await serve({ dataDir, env: QUIET });
    const log = join(dataDir, "coffer.db-wal");
    const before = stateOf(dataDir);
    const sizeBefore = Bun.file(log).size;
    expect((await change.run(first, prepared)).status).toBeLessThan(300);
    await first.kill();
    // A power cut takes away no change that the index has; until the kill it may have got this one.
    for (const end of ["", "-wal", "-shm"]) await rm(join(dataDir, `search.db${end}`), { force: true });
    const after = stateOf(dataDir);
    const seen = new Set<string[]>();
    for (const size of cuts(sizeBefore, Bun.file(log).size)) {
      await cp(dataDir, cut, { recursive: true });
      await truncate(join(cut, "coffer.db-wal"), size);
      const state = stateOf(cut);
      expect([size, [before, after]]).toEqual([size, expect.arrayContaining([state])]);
      seen.add(Bun.deepEquals(state, after) ? after : before);
      expect([size, await verified(cut)]).toEqual([size, []]);
    }
    expect(seen).toEqual(new Set([before, after]));
  },
);
