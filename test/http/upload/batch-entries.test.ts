import { expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { BATCH } from "../../../src/domain/limits.ts";
import { batchEntries, type BATCH_TYPES } from "../../../src/http/upload/batch/entries.ts";
import { turnsDuring } from "../../support/meters/turns.ts";
import { linesOf, tarOf } from "../../support/samples/batches.ts";

const FIELDS = { path: "a", metadata: undefined, tags: undefined, expiresAt: undefined };

/** Reads a body that comes at once. Returns what is wrong with each entry; null for nothing. */
async function readAll(format: keyof typeof BATCH_TYPES, body: string | Uint8Array) {
  const errors: (string | null)[] = [];
  const chunks = async function* () {
    yield Buffer.from(body);
  };
  for await (const entry of batchEntries(format, chunks(), () => FIELDS)) {
    const wrong = await entry
      .read(() => Promise.resolve())
      .then(
        () => null,
        (error: Error) => error.message,
      );
    errors.push(wrong);
  }
  return errors;
}

const tarOfMany = (count: number, type = "0") =>
  tarOf(Array.from({ length: count }, () => ({ name: "a", type })));
const LINE = `${linesOf([{ path: "a", text: "" }])}\n`;

test.each<[name: string, format: keyof typeof BATCH_TYPES, body: string | Uint8Array, entries: number]>([
  ["lines", "lines", LINE.repeat(BATCH.files), BATCH.files],
  ["entries of a tar", "tar", tarOfMany(BATCH.files), BATCH.files],
  ["headers of a packed tar", "gzip", gzipSync(tarOfMany(20_000, "x")), 0],
])("others have their turn while many short %s are read", async (_, format, body, entries) => {
  let errors: (string | null)[] = [];
  const turns = await turnsDuring(async () => (errors = await readAll(format, body)));
  expect(errors).toEqual(Array<null>(entries).fill(null));
  expect(turns).toBeGreaterThan(50);
});

test.each(["\n", "\r\n", "  \n"])(
  "as many blank lines as files may be between them, no more: %j",
  async (blank) => {
    expect(await readAll("lines", blank.repeat(BATCH.files) + LINE)).toEqual([null]);
    const refused = await readAll("lines", blank.repeat(300_000) + LINE);
    expect(refused).toEqual([expect.stringContaining("blank lines")]);
  },
);
