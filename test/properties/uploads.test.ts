import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { readJsonUpload } from "../../src/http/upload/json.ts";
import { readMultipartUpload } from "../../src/http/upload/multipart.ts";
import { CofferError } from "../../src/domain/errors.ts";
import { anyCuts, anyOf, anyText, forAllAsync, inPieces } from "../support/models/properties.ts";

/** What an upload brought, or why it was refused. */
interface Read {
  readonly fields?: unknown;
  readonly content?: string;
  readonly refusal?: string;
}

async function readJson(bytes: Uint8Array, cuts: readonly number[]): Promise<Read> {
  return reading((write) => readJsonUpload(inPieces(bytes, cuts), write));
}

async function reading(
  upload: (
    write: (piece: Uint8Array) => Promise<void>,
  ) => Promise<{ fields: unknown; contentKey: string | null }>,
): Promise<Read> {
  const pieces: Buffer[] = [];
  try {
    const { fields, contentKey } = await upload(async (piece) => void pieces.push(Buffer.from(piece)));
    return { fields, ...(contentKey !== null ? { content: Buffer.concat(pieces).toString("latin1") } : {}) };
  } catch (error) {
    if (error instanceof CofferError) return { refusal: `${error.field}: ${error.message}` };
    throw error;
  }
}

/** A body that is read like this must be so for every cut in two, if it is short. */
async function expectForEveryCut(bytes: Uint8Array, read: Read): Promise<void> {
  for (let cut = 1; bytes.length < 50 && cut < bytes.length; cut += 1)
    expect(await readJson(bytes, [cut])).toEqual(read);
}

/** The bytes of base64, in the simplest way; or the position of the first wrong character. */
function decoded(text: string): Buffer | number {
  const digits: string[] = [];
  let [padding, lastDigit, lastPadding] = [0, 0, 0];
  /** Where blanks began behind other characters of the same line; null before any. */
  let blanks: number | null = null;
  let lineIsEmpty = true;
  for (const [at, character] of Array.from(text).entries()) {
    if (/[\r\n]/.test(character)) [blanks, lineIsEmpty] = [null, true];
    else if (/[ \t]/.test(character)) blanks ??= lineIsEmpty ? null : at;
    if (/[ \t\r\n]/.test(character)) continue;
    if (blanks !== null && /[A-Za-z0-9+/=]/.test(character)) return blanks;
    lineIsEmpty = false;
    if (character === "=") {
      const rest = (4 - (digits.length % 4)) % 4;
      if (rest === 0 || rest === 3 || padding === rest) return at;
      padding += 1;
      lastPadding = at;
    } else {
      if (padding > 0 || !/[A-Za-z0-9+/]/.test(character)) return at;
      digits.push(character);
      lastDigit = at;
    }
  }
  if (digits.length % 4 === 1) return lastDigit;
  if (padding > 0 && (digits.length + padding) % 4 !== 0) return lastPadding;
  return Buffer.from(digits.join(""), "base64");
}

/** Base64, mostly right, with white space, without padding, or with something else in it. */
const base64 = fc
  .tuple(
    fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.uint8Array({ minLength: 700, maxLength: 2500, size: "max" }),
    ),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(" ", "\n", "\r\n\t", "=", "==", "*", "-", "A", "é")), {
      maxLength: 2,
    }),
    fc.boolean(),
  )
  .map(([bytes, insertions, isPadded]) => {
    let text = Buffer.from(bytes).toString("base64");
    if (!isPadded) text = text.replace(/=+$/, "");
    for (const [place, insertion] of insertions) {
      const at = place % (text.length + 1);
      text = text.slice(0, at) + insertion + text.slice(at);
    }
    return text;
  });

/** A JSON string of a text, each character spelled as it is or as some escape of it. */
function spelledString(text: string, choices: readonly number[]): string {
  const spelled = Array.from(text, (character, index) => {
    const plain = JSON.stringify(character).slice(1, -1);
    const choice = choices[index % Math.max(1, choices.length)] ?? 0;
    if (choice === 0 && character === "/") return "\\/";
    if (choice !== 1) return plain;
    return Array.from(
      { length: character.length },
      (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`,
    ).join("");
  });
  return `"${spelled.join("")}"`;
}

test("base64 is decoded like in the simplest way, however it is spelled and cut", async () => {
  const choices = fc.array(fc.nat(6), { maxLength: 7 });
  await forAllAsync(2, base64, choices, anyCuts, async (text, spelling, cuts) => {
    const json = Buffer.from(`{"content":${spelledString(text, spelling)}}`);
    const expected = decoded(text);
    const read = await readJson(json, cuts);
    if (typeof expected === "number") expect(read.refusal).toContain(`at position ${expected}.`);
    else expect(read).toEqual({ fields: { content: "" }, content: expected.toString("latin1") });
    await expectForEveryCut(json, read);
  });
});

/** Base64 without a fault, and its bytes as Latin-1. */
const content = base64
  .filter((text) => typeof decoded(text) !== "number")
  .map((text) => ({ text, bytes: Buffer.from(text, "base64").toString("latin1") }));

test("content and other fields are what JSON.parse makes of them, however they are spelled and cut", async () => {
  const value = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom("-0", "1E+2", "0.10", "1e400", "[[]]"),
    fc.constantFrom('"\\u0000"', '"\\ud800"', '{"a":1,"a":2}', '{"__proto__":{}}'),
    fc.integer({ min: 1, max: 80 }).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`),
    anyText().map((text) => spelledString(text, [0, 1, 2])),
  );
  const members = fc.array(
    fc.tuple(fc.oneof(anyText(10), fc.constantFrom("path", "tags", "content ", "Content")), value),
  );
  const space = fc.constantFrom("", " ", "\r\n", "\t");
  const streamed = fc.option(fc.tuple(content, fc.nat(9)), { nil: null });
  await forAllAsync(6, members, streamed, space, anyCuts, async (others, sent, gap, cuts) => {
    const pairs = [...others];
    if (sent !== null) pairs.splice(sent[1], 0, ["content", spelledString(sent[0].text, [0, 1, 2])]);
    const all = pairs.map(
      ([name, json]) => `${gap}${spelledString(name, [2, 1, 0])}${gap}:${gap}${json}${gap}`,
    );
    const text = `${gap}{${all.join(",")}}${gap}`;
    const read = await readJson(Buffer.from(text), cuts);
    const fields = JSON.parse(text);
    if (sent !== null) fields.content = "";
    if (read.refusal !== undefined) expect(read.refusal).toMatch(/nested deeper|well-formed Unicode/);
    else expect(read).toEqual({ fields, ...(sent !== null && { content: sent[0].bytes }) });
    await expectForEveryCut(Buffer.from(text), read);
  });
});

test("damaged bytes are refused, or read as JSON.parse reads them", async () => {
  const damage = fc.tuple(
    fc.nat(),
    fc.nat(2),
    fc.oneof(anyOf('"\\{}[]:,=\0\n \u00ffuA0'), fc.constant("content")),
  );
  let refusals = 0;
  await forAllAsync(
    10,
    base64,
    fc.json(),
    fc.array(damage, { minLength: 1, maxLength: 3 }),
    anyCuts,
    async (text, json, damages, cuts) => {
      let body = `{"metadata":${json},"content":"${text}","tags":["content",{"content":"AA"}]}`;
      for (const [place, removed, added] of damages) {
        const at = place % (body.length + 1);
        body = body.slice(0, at) + added + body.slice(at + removed);
      }
      const read = await readJson(Buffer.from(body), cuts);
      if (read.refusal !== undefined) {
        refusals += 1;
        return;
      }
      const parsed = JSON.parse(body);
      if (read.content !== undefined) {
        expect(read.content).toBe(Buffer.from(parsed.content, "base64").toString("latin1"));
        parsed.content = "";
      }
      expect(read.fields).toEqual(parsed);
    },
  );
  expect(refusals).toBeGreaterThan(100);
});

test("two contents are refused, wherever they are and however they are spelled", async () => {
  const spelling = fc.array(fc.nat(2), { maxLength: 4 });
  await forAllAsync(1, spelling, spelling, fc.json(), anyCuts, async (first, second, json, cuts) => {
    const [one, two] = [first, second].map((choices) => spelledString("content", choices));
    const body = Buffer.from(`{${one}:"AAAA","a":${json},${two}:"AAAA"}`);
    expect((await readJson(body, cuts)).refusal).toContain("content");
  });
});

const boundary = fc
  .string({ unit: anyOf("abXY019'()+_,-./:=? "), minLength: 1, maxLength: 70 })
  .filter((text) => !text.endsWith(" "));

/** Bytes that hold many beginnings of a delimiter, and no whole one. */
function contentWithout(delimiter: string): fc.Arbitrary<string> {
  const starts = ["\r", "\n", "\r\n", "\r\n-", "\r\n--", `\r\n--${delimiter.slice(0, -1)}`];
  const shreds = [...starts, delimiter, "-", "\0", "\u00ff"];
  return fc
    .string({ unit: fc.constantFrom(...shreds), maxLength: 20 })
    .filter((text) => !`\r\n${text}`.includes(`\r\n--${delimiter}`));
}

test("a form's content and fields come through, whatever the boundary and the cuts", async () => {
  const form = boundary.chain((text) =>
    fc.record({
      boundary: fc.constant(text),
      content: contentWithout(text),
      path: fc.oneof(anyText(), contentWithout(text)),
      isFirst: fc.boolean(),
      padding: fc.constantFrom("", " ", "\t "),
    }),
  );
  await forAllAsync(8, form, anyCuts, async ({ boundary: border, padding, ...sent }, cuts) => {
    const { path, isFirst } = sent;
    fc.pre(path.isWellFormed() && !`\r\n${path}`.includes(`\r\n--${border}`));
    const line = `--${border}${padding}\r\n`;
    const head = Buffer.from(`${line}Content-Disposition: form-data; name="file"; filename="a"\r\n\r\n`);
    const file = Buffer.concat([head, Buffer.from(`${sent.content}\r\n`, "latin1")]);
    const field = Buffer.from(`${line}content-disposition:form-data;name=path\r\n\r\n${path}\r\n`);
    const parts = isFirst ? [file, field] : [field, file];
    const body = Buffer.concat([...parts, Buffer.from(`--${border}--\r\n`)]);
    const type = `multipart/form-data; boundary="${border}"`;
    const read = await reading((write) => readMultipartUpload(inPieces(body, cuts), type, write));
    expect(read).toEqual({
      fields: { content: "", path, ...(path === "" || path.endsWith("/") ? { filename: "a" } : {}) },
      content: sent.content,
    });
  });
});

const PART = `--x\r\nContent-Disposition: form-data; name=`;

test("damage to a form meets nothing but refusals", async () => {
  const whole = `${PART}"file"; filename="a.txt"\r\n\r\nHello\r\n${PART}"tags"\r\n\r\n["a"]\r\n${PART}"metadata"\r\n\r\n{"a":1}\r\n--x--\r\n`;
  const damage = fc.tuple(fc.nat(), anyOf('"\\\r\n-x;=:\0 \u00ff%*'));
  const damages = fc.array(damage, { minLength: 1, maxLength: 3 });
  let refusals = 0;
  await forAllAsync(10, damages, fc.option(fc.nat()), anyCuts, async (all, end, cuts) => {
    const bytes = Buffer.from(whole);
    for (const [place, by] of all) bytes.write(by, place % bytes.length, "latin1");
    const body = end === null ? bytes : bytes.subarray(0, end % bytes.length);
    const type = "multipart/form-data; boundary=x";
    const read = await reading((write) => readMultipartUpload(inPieces(body, cuts), type, write));
    if (read.refusal !== undefined) refusals += 1;
  });
  expect(refusals).toBeGreaterThan(100);
});

test("a short form is read alike for every cut in two", async () => {
  const body = Buffer.from(
    '--x\r\nContent-Disposition: form-data; name="tags"\r\n\r\n["a"]\r\n--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n\r\n--\r\n-x\r\n--x--\r\n',
  );
  const read = (cut: number) =>
    reading((write) => readMultipartUpload(inPieces(body, [cut]), "multipart/form-data; boundary=x", write));
  for (let cut = 0; cut < body.length; cut += 1) {
    expect(await read(cut)).toEqual({ fields: { content: "", tags: ["a"] }, content: "\r\n--\r\n-x" });
  }
});
