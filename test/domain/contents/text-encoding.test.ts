import { describe, expect, test } from "bun:test";
import { asUtf8, encode } from "../../../src/domain/contents/texts/text-encoding.ts";

describe("Latin-1", () => {
  test("every byte comes back as it was", () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect([...encode(asUtf8(all, "latin1").toString(), "latin1")]).toEqual([...all]);
  });

  test("a character that it lacks is named whole", () => {
    expect(() => encode("caf\u00e9 \u{1F389}", "latin1")).toThrow('which has no "\u{1F389}"');
    expect(() => encode("\u65e5", "latin1")).toThrow('which has no "\u65e5"');
  });
});
