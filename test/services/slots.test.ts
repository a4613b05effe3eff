import { expect, test } from "bun:test";
import { Slots } from "../../src/services/slots.ts";
import { refusalOf } from "../support/samples/failure.ts";

const LIMITS = { each: 20, client: 30, all: 50, unclaimed: { client: 5, all: 8 } };

/** Takes slots until one is refused: the n-th of an owner and to an address, each of which has so many. */
async function fill(ofOwner: number, toClient: number, isUnclaimed: boolean) {
  const slots = new Slots({ limits: LIMITS, noun: "streams" });
  const taken: Disposable[] = [];
  const take = () => {
    const [owner, client] = [ofOwner, toClient].map((each) => String(Math.floor(taken.length / each)));
    taken.push(slots.take({ owner: owner ?? "", isUnclaimed }, client ?? ""));
  };
  const refusal = await refusalOf(() => {
    for (;;) take();
  });
  return { taken, take, refusal };
}

test.each<[refusal: string, ofOwner: number, toClient: number, isUnclaimed: boolean]>([
  ["20 streams of yours are under way", 100, 10, false],
  ["30 streams are under way to your address", 10, 100, false],
  ["50 streams are under way", 10, 10, false],
  ["5 streams of unclaimed drives and links are under way to your address", 1, 100, true],
  ["8 streams of unclaimed drives and links are under way", 1, 1, true],
])("%s", async (most, ofOwner, toClient, isUnclaimed) => {
  const { taken, take, refusal } = await fill(ofOwner, toClient, isUnclaimed);
  expect(refusal).toBe(`${most} already; wait until one is done.`);
  // Each is free again once, however often it is freed.
  const last = taken.pop();
  last?.[Symbol.dispose]();
  last?.[Symbol.dispose]();
  take();
  expect(await refusalOf(take)).toBe(refusal);
});
