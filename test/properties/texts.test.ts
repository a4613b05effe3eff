import { afterAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { startAppliance } from "../support/server/appliance.ts";
import { encoded, type Encoding, ENCODINGS } from "../support/samples/encodings.ts";
import { forAllAsync } from "../support/models/properties.ts";
import { storeFile, driveIn } from "../support/server/services-drive.ts";

const coffer = await startAppliance();
afterAll(() => coffer[Symbol.asyncDispose]());
const { services } = coffer.appliance;
let { caller, drive } = await driveIn(services);

/** The lines of a text, in the simplest way. */
function linesOf(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return [...lines.map((line) => line.replace(/\r$/, "")), ...(last === "" ? [] : [last])];
}

const put = (content: Uint8Array) => storeFile({ services, caller, drive }, "f.txt", content);

/** All lines from one on, as a caller gets them who goes on as each part says. */
async function walk(from: number, maxBytes: number): Promise<{ lines: string[]; total: number }> {
  const lines: string[] = [];
  let [startLine, startByte] = [from, 0];
  for (;;) {
    const range = { startLine, startByte, endLine: null, maxBytes };
    const part = await services.texts.read(caller, { drive, path: "f.txt" }, range);
    const texts = part.endLine < part.startLine ? [] : part.text.split("\n");
    const size = Buffer.byteLength(part.text);
    // One character is always given, or nobody would get on.
    if (size > maxBytes) expect(Array.from(part.text).length).toBe(1);
    if (startByte > 0) lines.push((lines.pop() ?? "") + (texts.shift() ?? ""));
    lines.push(...texts);
    if (part.nextLine === null) return { lines, total: part.totalLines };
    expect(part.nextLine > startLine || (part.nextByte ?? 0) > startByte).toBe(true);
    [startLine, startByte] = [part.nextLine, part.nextByte ?? 0];
  }
}

const anyLines = fc.string({
  unit: fc.constantFrom("a", "b c", "\u00e9", "\u65e5", "\u{1f600}", "\r", "\n", "\r\n", "\n\n", "\ufeff"),
  maxLength: 40,
});

test("part by part, a reader gets each line of a text, whatever the encoding and the size of the parts", async () => {
  await forAllAsync(
    1,
    anyLines,
    fc.constantFrom<Encoding>(...ENCODINGS),
    fc.integer({ min: 1, max: 30 }),
    fc.integer({ min: 1, max: 5 }),
    async (text, encoding, maxBytes, from) => {
      // What would be read as a mark is none of the text.
      fc.pre(encoding !== "utf-8" || !text.startsWith("\ufeff"));
      await put(encoded(text, encoding));
      const lines = linesOf(text);
      expect(await walk(from, maxBytes)).toEqual({ lines: lines.slice(from - 1), total: lines.length });
    },
  );
});

// Some of these are longer than what an index steps over, and so are some lines beside them.
const LENGTHS = [0, 1, 40, 300_000, 1_048_575, 1_048_576, 1_500_000, 2_400_000];

test("the same for a large text with lines of any length", async () => {
  await forAllAsync(
    0.05,
    fc.array(fc.constantFrom(...LENGTHS), { minLength: 3, maxLength: 7 }),
    fc.constantFrom<Encoding>("utf-8", "utf-16le"),
    fc.nat(),
    async (lengths, encoding, place) => {
      // One drive has no room for them all.
      ({ caller, drive } = await driveIn(services));
      const lines = lengths.map((length, at) => String.fromCharCode(97 + at).repeat(length));
      await put(encoded(`${lines.join("\r\n")}\n`, encoding));
      const from = 1 + (place % lines.length);
      const { lines: found, total } = await walk(from, 700_000);
      expect(total).toBe(lines.length);
      expect(found.map(({ length }) => length)).toEqual(lengths.slice(from - 1));
      expect(found.map((line) => line[0] ?? "")).toEqual(lines.slice(from - 1).map((line) => line[0] ?? ""));
    },
  );
});
