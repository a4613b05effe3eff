import { expect, test } from "bun:test";
import { SharedWork } from "../../src/services/shared-work.ts";
import { failureOf } from "../support/samples/failure.ts";

/** Work that goes on until its result is given, and counts how often it was begun. */
function openWork() {
  const { promise, resolve } = Promise.withResolvers<string>();
  const begun: AbortSignal[] = [];
  const work = (signal: AbortSignal) => {
    begun.push(signal);
    return promise;
  };
  return { shared: new SharedWork<string>(), begun, work, resolve };
}

const never = () => new AbortController().signal;

test("many who want the same get it from one work, and it goes on when the first leaves", async () => {
  const { shared, begun, work, resolve } = openWork();
  const first = new AbortController();
  const left = shared.join("a", first.signal, work);
  const others = [shared.join("a", never(), work), shared.join("a", never(), work)];
  first.abort();
  expect(await failureOf(left)).toMatchObject({ name: "AbortError" });
  expect(begun.map(({ aborted }) => aborted)).toEqual([false]);
  resolve("done");
  expect(await Promise.all(others)).toEqual(["done", "done"]);
});

test("work that nobody wants any more is ended, and begun anew for who comes then", async () => {
  const { shared, begun, work, resolve } = openWork();
  const alone = new AbortController();
  const left = shared.join("a", alone.signal, work);
  alone.abort();
  expect(await failureOf(left)).toMatchObject({ name: "AbortError" });
  const next = shared.join("a", never(), work);
  expect(begun.map(({ aborted }) => aborted)).toEqual([true, false]);
  resolve("done");
  expect(await next).toBe("done");
});
