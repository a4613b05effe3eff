import { beforeEach, expect, test } from "bun:test";
import { EXTRACTIONS } from "../../src/domain/contents/extraction.ts";
import { OwnerTurns } from "../../src/services/owner-turns.ts";
import type { SlotHolder } from "../../src/services/slots.ts";
import { failureOf } from "../support/samples/failure.ts";

const many = { owner: "many", isUnclaimed: false };
const few = { owner: "few", isUnclaimed: false };

let queue: OwnerTurns;
/** What has begun, in this order. */
let begun: string[];
/** Ends what has begun. */
let ends: Map<string, () => void>;

beforeEach(() => {
  [queue, begun, ends] = [new OwnerTurns({ limits: EXTRACTIONS, noun: "extractions" }), [], new Map()];
});

/** Work under a name, which goes on until it is ended. */
function work(name: string, holder: SlotHolder, signal?: AbortSignal): Promise<void> {
  const begin = () => {
    begun.push(name);
    return new Promise<void>((resolve) => void ends.set(name, resolve));
  };
  return queue.run(holder, begin, signal);
}

test("owners take turns: one that asks for much does not keep another waiting", async () => {
  const first = work("first", many);
  void work("second", many);
  void work("third", many);
  void work("other", few);
  expect(begun).toEqual([]);
  await Promise.resolve();
  expect(begun).toEqual(["first", "other"]);
  ends.get("first")?.();
  await first;
  await Promise.resolve();
  expect(begun).toEqual(["first", "other", "second"]);
});

test("unclaimed drives do not take all, however many they are", async () => {
  for (const owner of ["one", "two", "three"]) void work("unclaimed", { owner, isUnclaimed: true });
  void work("owner", few);
  await Promise.resolve();
  expect(begun).toEqual(["unclaimed", "owner"]);
});

test("who has too many waiting is refused, and others are not", async () => {
  for (let at = 0; at <= EXTRACTIONS.waitingEach; at += 1) void work(`${at}`, many);
  expect(await failureOf(work("more", many))).toMatchObject({ code: "RATE_LIMITED" });
  void work("other", few);
  await Promise.resolve();
  expect(begun).toEqual(["0", "other"]);
});

test("who leaves does not wait any more", async () => {
  const first = work("first", few);
  const leaving = new AbortController();
  const gone = work("gone", few, leaving.signal);
  void work("next", few);
  leaving.abort();
  expect(await failureOf(gone)).toMatchObject({ name: "AbortError" });
  await Promise.resolve();
  ends.get("first")?.();
  await first;
  await Promise.resolve();
  expect(begun).toEqual(["first", "next"]);
});

test("where an owner may have several, who has least under way is next", async () => {
  queue = new OwnerTurns({ limits: { ...EXTRACTIONS, runningEach: 2 }, noun: "extractions" });
  const first = work("first", many);
  for (const name of ["second", "third", "fourth"]) void work(name, many);
  void work("other", few);
  await Promise.resolve();
  expect(begun).toEqual(["first", "second"]);
  ends.get("first")?.();
  await first;
  await Promise.resolve();
  expect(begun).toEqual(["first", "second", "other"]);
});

test("unclaimed drives leave room to wait, however many they are", async () => {
  for (let at = 0; at <= EXTRACTIONS.waiting / 2; at += 1) {
    void work("unclaimed", { owner: `${at}`, isUnclaimed: true });
  }
  const more = { owner: "one more", isUnclaimed: true };
  expect(await failureOf(work("refused", more))).toMatchObject({ code: "RATE_LIMITED" });
  void work("owner", few);
  await Promise.resolve();
  expect(begun).toEqual(["unclaimed", "owner"]);
});
