import { expect, test } from "bun:test";
import { FileIndex } from "../../../src/blobs/cache/file-index.ts";
import { parseDigest } from "../../../src/domain/contents/content.ts";
import { Random } from "../../support/server/random.ts";

/** A digest whose beginning tells which; many share their first bytes. */
function digest(number: number) {
  const found = parseDigest(`0000${number.toString(16).padStart(8, "0")}`.padEnd(64, "ab"));
  if (found === null) throw new Error("no digest");
  return found;
}

const FREE = { heldUntil: 0, markedAt: 0 };

/** When a content of an earlier run was marked, in seconds. */
function hour(key: number): number {
  return 3600 * (10 + ((key * 7) % 10));
}

/** Takes out all, oldest first. */
function emptied(index: FileIndex): string[] {
  const order: string[] = [];
  for (let oldest = index.oldest(0); oldest !== null; oldest = index.oldest(0)) {
    order.push(oldest);
    index.remove(oldest);
  }
  return order;
}

test("it has what a plain map has, in the same order", () => {
  const random = new Random(1);
  const index = new FileIndex();
  const model = new Map<ReturnType<typeof digest>, number>();
  for (let step = 0; step < 20_000; step += 1) {
    const key = digest(random.below(3000));
    if (random.chance(0.7)) {
      const blocks = random.below(100);
      index.add(key, blocks, FREE);
      model.delete(key);
      model.set(key, blocks);
    } else {
      expect(index.remove(key)).toBe(model.get(key) ?? null);
      model.delete(key);
    }
    expect(index.has(key)).toBe(model.has(key));
    if (step % 1000 > 0) continue;
    const sum = [...model.values()].reduce((all, blocks) => all + blocks, 0);
    expect([index.count, index.blocks]).toEqual([model.size, sum]);
  }
  expect(emptied(index)).toEqual([...model.keys()]);
  expect([index.count, index.blocks]).toEqual([0, 0]);
});

test("contents of an earlier run come before all others, as their marks say", () => {
  const index = new FileIndex();
  for (let key = 0; key < 2000; key += 1) index.addFound(digest(key), 1, hour(key));
  // Used, gone, and come again before they had a place.
  index.add(digest(5), 1, FREE);
  index.remove(digest(6));
  index.add(digest(3000), 1, FREE);
  index.addFound(digest(5), 9, 0);
  let turns = 0;
  for (const _ of index.order()) {
    if (turns === 2) index.remove(digest(1999));
    if (turns === 2) index.add(digest(1998), 1, FREE);
    turns += 1;
  }
  expect(turns).toBeGreaterThan(5);
  const order = emptied(index);
  expect(order).toHaveLength(1999);
  expect(order.slice(-3)).toEqual([5, 3000, 1998].map(digest));
  const hours = order.slice(0, -3).map((key) => hour(Number.parseInt(key.slice(4, 12), 16)));
  expect(hours).toEqual(hours.toSorted((a, b) => a - b));
});

test("what is held is passed over, but not without end", () => {
  const index = new FileIndex();
  index.add(digest(1), 1, { heldUntil: 100, markedAt: 0 });
  index.add(digest(2), 1, FREE);
  expect([index.oldest(99), index.oldest(100)]).toEqual([digest(2), digest(1)]);
  for (let key = 3; key < 1000; key += 1) index.add(digest(key), 1, { heldUntil: 100, markedAt: 0 });
  index.add(digest(2), 1, FREE);
  expect([index.oldest(99), index.oldest(100)]).toEqual([null, digest(1)]);
});
