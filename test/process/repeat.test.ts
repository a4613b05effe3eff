import { expect, test } from "bun:test";
import { createLog } from "../../src/process/log.ts";
import { repeat } from "../../src/process/repeat.ts";
import { FakeClock } from "../support/server/fake-clock.ts";

test("a step that fails is logged, the others come all the same, and so does the next turn until it is stopped", async () => {
  const lines: string[] = [];
  const log = createLog({ format: "json", clock: new FakeClock(), write: (line) => void lines.push(line) });
  const { promise: secondTurn, resolve } = Promise.withResolvers<void>();
  const done: string[] = [];
  const stop = repeat(
    1,
    [
      async () => done.push("first"),
      () => Promise.reject(new Error("broken")),
      async () => {
        if (done.push("last") === 4) resolve();
      },
    ],
    log,
  );
  await secondTurn;
  await stop();
  const turns = done.length;
  expect(done.slice(0, 4)).toEqual(["first", "last", "first", "last"]);
  expect(lines.filter((line) => line.includes("broken")).length).toBe(turns / 2);
  await Bun.sleep(10);
  expect(done.length).toBe(turns);
});
