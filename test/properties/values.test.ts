import { expect, test } from "bun:test";
import { mimeTypeOf } from "../../src/domain/contents/mime-types.ts";
import { parseMediaType } from "../../src/domain/contents/media-type.ts";
import { type FilePosition, parseTags } from "../../src/domain/files/file.ts";
import { parseName, slugified } from "../../src/domain/contents/texts/text.ts";
import { textOf } from "../../src/domain/contents/texts/text-encoding.ts";
import { formatInstant, parseInstant } from "../../src/domain/time.ts";
import { numberedUsername, parseUsername, proposeUsername } from "../../src/domain/accounts/user.ts";
import { fileCursor } from "../../src/http/operation/cursor.ts";
import { requireExactNumbers } from "../../src/http/json/json-text.ts";
import { anyText, forAll, unlessRefused } from "../support/models/properties.ts";
import * as fc from "fast-check";

/** What the API description promises of a time in an answer. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

test("a time is read as the runtime reads it, and written so that it is read again as itself", () => {
  const zone = fc.stringMatching(/^(Z|[+-]\d\d:\d\d)$/);
  const text = fc.stringMatching(
    /^(\d{4}|0000|9999)-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d\.\d{3}(Z|[+-][0-2]\d:[0-6]\d)$/,
  );
  const likely = fc
    .tuple(
      fc.date({
        min: new Date("0000-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59.999Z"),
        noInvalidDate: true,
      }),
      zone,
    )
    .map(([date, at]) => date.toISOString().replace("Z", at));
  forAll(5, fc.oneof(text, likely, anyText()), (given) => {
    const instant = unlessRefused(() => parseInstant("at", given));
    if (instant === null) return;
    expect(formatInstant(instant)).toMatch(TIME);
    expect(parseInstant("at", formatInstant(instant))).toBe(instant);
    if (/\.\d{3}(Z|[+-]\d\d:\d\d)$/.test(given)) expect(instant).toBe(Date.parse(given));
  });
});

/** A number's value as a whole number of powers of ten, without zeros at its end. */
function exactly(text: string): [digits: bigint, exponent: bigint] {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  let [value, power] = [BigInt(whole + fraction), BigInt(exponent) - BigInt(fraction.length)];
  while (value !== 0n && value % 10n === 0n) [value, power] = [value / 10n, power + 1n];
  return value === 0n ? [0n, 0n] : [sign === "-" ? -value : value, power];
}

test("exactly the numbers are refused that would be written differently", () => {
  const number = fc.oneof(
    fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?((e|E\+|e-)([1-9]\d|[1-3]\d\d|\d))?$/),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  );
  forAll(5, number, (text) => {
    const value: unknown = JSON.parse(text);
    const isKept = Number.isFinite(value) && Bun.deepEquals(exactly(String(value)), exactly(text));
    const isAccepted = unlessRefused(() => requireExactNumbers(text, value, "metadata") ?? true);
    expect([text, isAccepted]).toEqual([text, isKept ? true : null]);
  });
});

test("a cursor leads back to its position, in its order only; any other text is refused", () => {
  const path = anyText().filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text) && text !== "");
  const file: fc.Arbitrary<FilePosition> = fc.oneof(
    fc.record({ sort: fc.constantFrom("path" as const, "-path" as const, "name" as const), path }),
    fc.record({
      sort: fc.constantFrom("size" as const, "-updated_at" as const),
      value: fc.nat(10 ** 15 - 1),
      id: fc.uuid(),
    }),
  );
  const folder = fc.option(path, { nil: null });
  forAll(2, file, folder, fc.boolean(), anyText(), (position, folderPath, hasFile, other) => {
    const { sort } = position;
    const given = { file: hasFile || folderPath === null ? position : null, folder: folderPath };
    const cursor = fileCursor(sort).write(given);
    expect(fileCursor(sort).read(cursor)).toEqual(given);
    expect(unlessRefused(() => fileCursor(sort === "size" ? "-size" : "size").read(cursor))).toBeNull();
    const read = unlessRefused(() => fileCursor(sort).read(other));
    if (read !== null) expect(fileCursor(sort).write(read)).toBe(other);
  });
});

test("a content type that is accepted can be sent as a header, and is read again as itself", () => {
  const start = fc.stringMatching(
    /^([a-z+.-]|[ -~]){1,4}\/?([a-z+.-]|[ -~]){1,4}(;| ; )?([a-z+.-]|[ -~]){1,4}=?$/,
  );
  const quoted = fc.string({ unit: "binary-ascii", maxLength: 8 }).map((text) => `"${text}"`);
  const type = fc.tuple(start, fc.oneof(fc.string(), quoted)).map((parts) => parts.join(""));
  forAll(5, fc.oneof(anyText(), type), (text) => {
    const accepted = unlessRefused(() => parseMediaType("content_type", text));
    if (accepted === null) return;
    expect(new Headers({ "content-type": accepted }).get("content-type")).toBe(accepted);
    expect(parseMediaType("content_type", accepted)).toBe(accepted);
  });
});

test("names of every kind keep their rules", () => {
  forAll(2, anyText(), fc.array(anyText()), fc.integer({ min: 2, max: 10_000 }), (text, texts, n) => {
    expect(slugified(text)).toMatch(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);
    expect(mimeTypeOf(text)).toMatch(/^[\w.+-]+\/[\w.+-]+$/);
    const username = proposeUsername(texts);
    expect(parseUsername("username", username)).toBe(username);
    expect(parseUsername("username", numberedUsername(username, n))).toEndWith(`-${n}`);
    const label = unlessRefused(() => parseName("name", text));
    if (label !== null) expect(parseName("name", label)).toBe(label);
    const tags = unlessRefused(() => parseTags("tags", texts));
    if (tags !== null) expect(parseTags("tags", [...tags, ...tags])).toEqual(tags);
  });
});

test("the text of a content that is cut is the start of its text", () => {
  forAll(
    2,
    anyText(),
    fc.constantFrom("utf8" as const, "utf16le" as const),
    fc.nat(60),
    (given, encoding, length) => {
      const text = given.replaceAll(/\0|\ufeff/g, "").toWellFormed();
      const bytes = Buffer.from(encoding === "utf8" ? text : `\ufeff${text}`, encoding);
      expect(textOf(bytes, false)).toBe(text);
      const head = bytes.subarray(0, Math.max(2, length));
      expect(text).toStartWith(textOf(head, head.length < bytes.length) ?? "no text");
    },
  );
});
