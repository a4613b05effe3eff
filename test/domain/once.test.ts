import { expect, test } from "bun:test";
import { once } from "../../src/domain/once.ts";

test("a value is made when it is first asked for, and only then", () => {
  let made = 0;
  const value = once(() => ({ number: ++made }));
  expect(made).toBe(0);
  expect(value()).toBe(value());
  expect(made).toBe(1);
});

test("even undefined is made only once", () => {
  let made = 0;
  const value = once(() => void made++);
  value();
  value();
  expect(made).toBe(1);
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
