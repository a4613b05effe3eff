import { expect, test } from "bun:test";
import { jsonLine, plainLine } from "../../../src/domain/audit/json-line.ts";

test("no text ends a line, hides or turns the direction of what is after it, and JSON reads it as it was", () => {
  const name = "a\u2028b\u202ec\u0085d\u200be\u{e0001}f\u001bg\n";
  const line = jsonLine({ name });
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(line)).toEqual({ name });
  expect(plainLine("x\u202ey")).toBe("x\\u202ey");
});
