import { expect, test } from "bun:test";
import { join } from "node:path";
import type { CallFailure } from "../../src/process/answer-calls.ts";
import { AskedThread } from "../../src/process/threads.ts";
import { testWith } from "../support/server/test-with.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const WORKER = `
  import { answerCalls } from "${join(import.meta.dir, "../../src/process/answer-calls.ts")}";
  answerCalls({
    double: async (number, delay) => (await Bun.sleep(delay), 2 * number),
    fail: () => { throw Object.assign(new Error("no"), { code: "CODE" }); },
    wait: () => new Promise(() => {}),
    leave: () => process.exit(0),
    break: () => void setTimeout(() => { throw new Error("late"); }, 0),
  });
`;

type WorkerCalls = Record<"fail" | "wait" | "leave" | "break", () => unknown> & {
  double: (number: number, delay: number) => Promise<number>;
};

async function start() {
  const place = await temporaryDirectory();
  const module = join(place.path, "worker.ts");
  await Bun.write(module, WORKER);
  const ended = Promise.withResolvers<void>();
  const thread = new AskedThread<WorkerCalls>({ module, what: "the thread", onEnd: ended.resolve });
  return {
    thread,
    ended: ended.promise,
    [Symbol.asyncDispose]: async () => {
      thread.end();
      await place[Symbol.asyncDispose]();
    },
  };
}

const reasonOf = (result: PromiseSettledResult<unknown>) =>
  result.status === "rejected" ? String(result.reason) : "";

const it = testWith(start);

it("each call gets its own answer, in the order of the calls", async (started) => {
  const answers = [started.thread.ask("double", 1, 20), started.thread.ask("double", 2, 0)];
  expect(await Promise.all(answers)).toEqual([2, 4]);
});

it("an error comes with its message, its stack and its code, and the thread goes on", async (started) => {
  const failure = await started.thread.ask("fail").then(
    () => null,
    (error: CallFailure) => error,
  );
  expect(failure).toMatchObject({ thrown: "no", code: "CODE" });
  expect(failure?.message).toMatch(/^the thread failed: Error: no\n +at /);
  expect(await started.thread.ask("double", 1, 0)).toBe(2);
});

test.each([
  ["ends by itself", "leave", "the thread ended"],
  ["fails beside a call", "break", "the thread failed: "],
] as const)("a thread that %s rejects who waits, and who asks later", async (_, name, message) => {
  await using started = await start();
  const asked = Promise.allSettled([started.thread.ask(name), started.thread.ask("wait")]);
  await started.ended;
  const [, waiting] = await asked;
  const [later] = await Promise.allSettled([started.thread.ask("wait")]);
  expect([reasonOf(waiting), reasonOf(later)]).toEqual([
    expect.stringContaining(message),
    "Error: the thread ended",
  ]);
  expect(started.thread.isAlive).toBe(false);
});

it("who ends a thread may say with which error those fail who wait", async (started) => {
  const asked = Promise.allSettled([started.thread.ask("wait"), started.thread.ask("wait")]);
  started.thread.end(new Error("enough"));
  const rejected = { status: "rejected" as const, reason: new Error("enough") };
  expect(await asked).toEqual([rejected, rejected]);
  await started.ended;
});
