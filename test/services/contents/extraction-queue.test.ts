import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import type { DriveCaller } from "../../../src/domain/accounts/caller.ts";
import { EXTRACTIONS } from "../../../src/domain/contents/extraction.ts";
import { newId, type UserId } from "../../../src/domain/id.ts";
import { ExtractionQueue } from "../../../src/services/extraction/documents.ts";
import { holderOf } from "../../../src/services/slots.ts";
import { openOwnServices } from "../../support/server/services-drive.ts";

const closing = new AsyncDisposableStack();
/** Of unclaimed drives, and of owners. */
const unclaimed: DriveCaller[] = [];
const owners: DriveCaller[] = [];

beforeAll(async () => {
  const { services } = closing.use(await openOwnServices());
  for (const name of ["a", "b", "c"]) {
    const { apiKey } = await services.drives.provision(name);
    const caller = services.apiKeys.authenticate(apiKey);
    if (caller?.kind !== "drive") throw new Error("a key of a drive is no caller of a drive");
    unclaimed.push(caller);
    owners.push({ ...caller, ownerId: newId<UserId>(0) });
  }
});
afterAll(() => closing.disposeAsync());

let queue: ExtractionQueue;
/** What has begun, in this order. */
let begun: string[];
/** Ends what has begun. */
let ends: Map<string, () => void>;

beforeEach(() => {
  [queue, begun, ends] = [new ExtractionQueue(), [], new Map()];
});

/** Work under a name, which goes on until it is ended. */
function work(name: string, caller: DriveCaller | undefined, signal?: AbortSignal): Promise<void> {
  if (caller === undefined) throw new Error("there is no such caller");
  return queue.run(
    holderOf(caller),
    () => {
      begun.push(name);
      return new Promise((resolve) => void ends.set(name, resolve));
    },
    signal,
  );
}

test("owners take turns: one that asks for much does not keep another waiting", async () => {
  const [many, few] = owners;
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
  const [one, two, three] = unclaimed;
  for (const each of [one, two, three]) void work("unclaimed", each);
  void work("owner", owners[0]);
  await Promise.resolve();
  expect(begun).toEqual(["unclaimed", "owner"]);
});

test("who has too many waiting is refused, and others are not", async () => {
  const [many, few] = owners;
  for (let at = 0; at <= EXTRACTIONS.waitingEach; at += 1) void work(`${at}`, many);
  const more = await work("more", many).catch((error: unknown) => error);
  expect(more).toMatchObject({ code: "RATE_LIMITED" });
  void work("other", few);
  await Promise.resolve();
  expect(begun).toEqual(["0", "other"]);
});

test("who leaves does not wait any more", async () => {
  const [owner] = owners;
  const first = work("first", owner);
  const leaving = new AbortController();
  const gone = work("gone", owner, leaving.signal);
  void work("next", owner);
  leaving.abort();
  expect(await gone.catch((error: unknown) => error)).toMatchObject({ name: "AbortError" });
  await Promise.resolve();
  ends.get("first")?.();
  await first;
  await Promise.resolve();
  expect(begun).toEqual(["first", "next"]);
});
