import { describe, expect, test } from "bun:test";
import { PagedList } from "../../web/pages/drive/list/paged-list.ts";

/** A list of numbers, in pages of ten, which notes the pages it is asked for. */
class Numbers {
  total = 95;
  readonly asked: number[] = [];
  /** Whether it refuses. */
  isDown = false;
  readonly list = new PagedList<number>(10, async (page) => {
    this.asked.push(page);
    if (this.isDown) throw new Error("down");
    const start = (page - 1) * 10;
    const length = Math.max(0, Math.min(10, this.total - start));
    return { data: Array.from({ length }, (_, index) => start + index), total: this.total };
  });
}

describe("a list in pages", () => {
  test("knows how much there is by any page, and its items by their index", async () => {
    const { list } = new Numbers();
    expect(list.ready).toBe(false);
    await list.load(10);
    expect([list.ready, list.total, list.loaded]).toEqual([true, 95, 5]);
    expect([list.at(89), list.at(90), list.at(94), list.at(95)]).toEqual([undefined, 90, 94, undefined]);
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

  test("forgets the other pages when one shows that the list changed, and asks for them again", async () => {
    const numbers = new Numbers();
    await numbers.list.load(1);
    await numbers.list.load(2);
    numbers.total = 94;
    await numbers.list.load(3);
    expect([numbers.list.at(0), numbers.list.at(20), numbers.list.total]).toEqual([undefined, 20, 94]);
    await numbers.list.ensure(0, 29);
    expect(numbers.asked).toEqual([1, 2, 3, 1, 2]);
    expect(numbers.list.loaded).toBe(30);
  });

  test("asks again for a page that did not come", async () => {
    const numbers = new Numbers();
    numbers.isDown = true;
    expect(await numbers.list.load(1).catch(String)).toBe("Error: down");
    expect(numbers.list.revision).toBe(0);
    numbers.isDown = false;
    await numbers.list.load(1);
    expect([numbers.list.at(0), numbers.list.revision]).toEqual([0, 1]);
  });
});
