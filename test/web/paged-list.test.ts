import { describe, expect, test } from "bun:test";
import { PagedList } from "../../web/pages/drive/store/paged-list.ts";

/** A list of numbers, 10 apart, in pages of ten, which notes the pages it is asked for. */
class Numbers {
  items = Array.from({ length: 95 }, (_, index) => index * 10);
  /** How many of the last ones are counted but not given. */
  missing = 0;
  readonly asked: number[] = [];
  /** Whether it refuses. */
  isDown = false;
  /** What its answers wait for. */
  isReady: Promise<void> = Promise.resolve();
  readonly list = new PagedList<number>({
    size: 10,
    read: async (page) => {
      this.asked.push(page);
      if (this.isDown) throw new Error("down");
      const items = this.items.slice(0, this.items.length - this.missing);
      const answer = { data: items.slice((page - 1) * 10, page * 10), total: this.items.length };
      await this.isReady;
      return answer;
    },
    keyOf: String,
    compare: (one, other) => one - other,
  });

  /** What it knows, by index. */
  get known(): Record<number, number> {
    const known: Record<number, number> = {};
    for (let index = 0; index < this.list.total; index += 1) {
      const item = this.list.at(index);
      if (item !== undefined) known[index] = item;
    }
    return known;
  }

  /** Whether all that it knows is as the server has it. */
  get isRight(): boolean {
    const known = Object.entries(this.known);
    return (
      this.list.total === this.items.length &&
      known.every(([index, item]) => this.items[Number(index)] === item)
    );
  }
}

describe("a list in pages", () => {
  test("knows how much there is by any page, and its items by their index and key", async () => {
    const { list } = new Numbers();
    expect(list.ready).toBe(false);
    await list.load(10);
    expect([list.ready, list.total, list.loaded]).toEqual([true, 95, 5]);
    expect([list.at(89), list.at(90), list.at(94), list.at(95)]).toEqual([undefined, 900, 940, undefined]);
    expect([list.indexOf("940"), list.indexOf("0")]).toEqual([94, undefined]);
  });

  test.each([
    ["within a page", 21, 28, [3]],
    ["over its edges", 29, 30, [3, 4]],
    ["the last one", 94, 94, [10]],
    ["from before the start", -5, 3, []],
    ["past the end", 88, 500, [9, 10]],
    ["nothing", 30, 29, []],
    ["nothing, before the start", -9, -1, []],
    ["nothing, past the end", 95, 99, []],
  ])("asks for what is missing: %s", async (_, first, last, pages) => {
    const numbers = new Numbers();
    await numbers.list.load(1);
    await numbers.list.ensure(first, last);
    expect(numbers.asked).toEqual([1, ...pages]);
  });

  test("asks for each page once, also while it is on its way", async () => {
    const numbers = new Numbers();
    await Promise.all([numbers.list.load(1), numbers.list.load(1)]);
    await numbers.list.ensure(0, 19);
    await numbers.list.ensure(0, 19);
    expect(numbers.asked).toEqual([1, 2]);
  });

  test("asks once for a page that has less than it should", async () => {
    const numbers = new Numbers();
    await numbers.list.load(1);
    // What expired is still counted for a while.
    numbers.missing = 83;
    await numbers.list.ensure(10, 19);
    await numbers.list.ensure(10, 11);
    expect(numbers.asked).toEqual([1, 2]);
  });

  test("forgets the other pages when one shows that the list changed, and asks for them again", async () => {
    const numbers = new Numbers();
    await numbers.list.load(1);
    await numbers.list.load(2);
    numbers.items.pop();
    await numbers.list.load(3);
    expect([numbers.list.at(0), numbers.list.at(20), numbers.list.total]).toEqual([undefined, 200, 94]);
    await numbers.list.ensure(0, 29);
    expect([numbers.asked, numbers.list.loaded]).toEqual([[1, 2, 3, 1, 2], 30]);
  });

  test("asks again for a page that did not come", async () => {
    const numbers = new Numbers();
    numbers.isDown = true;
    expect([await numbers.list.load(1).catch(String), numbers.list.ready]).toEqual(["Error: down", false]);
    numbers.isDown = false;
    await numbers.list.load(1);
    expect(numbers.list.at(0)).toBe(0);
  });
});

/** With the pages 1, 2 and 6 of ten. */
async function partly(): Promise<Numbers> {
  const numbers = new Numbers();
  for (const page of [1, 2, 6]) await numbers.list.load(page);
  return numbers;
}

describe("what an answer tells of a list", () => {
  test("does not know of a new item where it belongs among some that are not loaded, nor whether it is new", async () => {
    const numbers = await partly();
    expect([numbers.list.put(55), numbers.list.total]).toEqual([false, 95]);
  });

  test("takes items out, and the others move up, those beyond a gap as well", async () => {
    const numbers = await partly();
    numbers.items = numbers.items.filter((item) => item !== 30 && item !== 150);
    expect(numbers.list.remove(new Set(["30", "150"]))).toBe(true);
    expect([numbers.isRight, numbers.list.loaded, numbers.list.indexOf("500")]).toEqual([true, 28, 48]);
    // What moved into a page that came is asked for.
    await numbers.list.ensure(10, 19);
    expect(numbers.asked).toEqual([1, 2, 6, 2]);
    expect([numbers.isRight, numbers.list.loaded]).toEqual([true, 30]);
  });

  test("does not know how much is left where something that was not loaded is gone", async () => {
    const numbers = await partly();
    expect(numbers.list.remove(new Set(["30", "300"]))).toBe(false);
    const whole = new Numbers();
    await whole.list.load(1);
    await whole.list.ensure(0, 94);
    expect(whole.list.remove(new Set(["7"]))).toBe(true);
  });

  test("nothing is sure before anything is known, or while a page from before may come", async () => {
    const numbers = new Numbers();
    expect([numbers.list.put(1), numbers.list.remove(new Set(["1"]))]).toEqual([false, false]);
    const { promise, resolve } = Promise.withResolvers<void>();
    await numbers.list.load(1);
    numbers.isReady = promise;
    const coming = numbers.list.load(2);
    expect([numbers.list.put(0), numbers.list.remove(new Set(["0"]))]).toEqual([false, false]);
    resolve();
    await coming;
  });
});
