import { expect, test } from "bun:test";
import { once } from "../../src/domain/once.ts";

test("a value is made when it is first asked for, and only then, also undefined", () => {
  for (const given of [{}, undefined]) {
    let made = 0;
    const value = once(() => (made++, given));
    expect(made).toBe(0);
    expect([value(), value(), made]).toEqual([given, given, 1]);
  }
});

test("what could not be made is tried again", () => {
  let tries = 0;
  const value = once(() => {
    if (++tries === 1) throw new Error("not yet");
    return "made";
  });
  expect(value).toThrow("not yet");
  expect(value()).toBe("made");
});
