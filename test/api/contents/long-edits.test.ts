import { expect, test } from "bun:test";
import { MIB } from "../../../src/domain/limits.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { ByteMeter } from "../../support/meters/byte-meter.ts";
import type { Json } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";

/** Bytes that one turn may search, copy or compare: a millisecond or two. */
const MOST_BYTES = 3 * MIB;

const LINE = "one line of a text that is edited\n";

function lines(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(LINE.repeat(Math.floor(bytes / LINE.length)));
}

const LONG = lines(15 * MIB);
const LINES = LONG.length / LINE.length;
const many = (count: number, edit: Json): Json => ({ edits: Array.from({ length: count }, () => edit) });
const insert = (line: number): Json => ({ op: "insert", line, text: "x" });
const replace = (old_string: string, new_string: string, more = {}): Json => {
  return { op: "str_replace", old_string, new_string, ...more };
};
const ALL = { replace_all: true };

/** Texts of the largest sizes, in every encoding, and what edits them at many places, or far down. */
const CASES: readonly (readonly [name: string, text: Buffer<ArrayBuffer>, edit: Json, status: number])[] = [
  ["an insertion far down", LONG, insert(LINES - 1), 200],
  ["an insertion at the start", LONG, insert(0), 200],
  ["a text that is not there", LONG, replace("nowhere", ""), 409],
  ["a text that is there often", LONG, replace("one line", ""), 409],
  ["many places", lines(3 * MIB), replace("line of", "row", ALL), 200],
  ["the same again at many places", lines(3 * MIB), replace("line", "line", ALL), 200],
  ["many edits", lines(MIB - LINE.length), many(100, insert(30_000)), 200],
  ["UTF-16", Buffer.from(`\ufeff${lines(7 * MIB).toString()}`, "utf16le"), insert(9), 200],
  ["Latin-1", Buffer.concat([Buffer.from([0xe4, 0x0a]), LONG]), insert(LINES - 1), 200],
];

test.each(CASES)("an edit of a long text lets others go first: %s", async (_, text, body, status) => {
  await using coffer = await startAppliance();
  const { client, id } = await provision(coffer);
  const place = `drive_id=${id}&path=long.txt`;
  await client.json(201, "PUT", `/v0/files?${place}`, {
    body: text,
    headers: { "content-type": "text/plain" },
  });
  using meter = new ByteMeter();
  const answered = await client.status("POST", `/v0/files/by-path/edit?${place}`, { body });
  const tooMany = Math.max(0, meter.largest() - MOST_BYTES);
  expect([answered, tooMany]).toEqual([status, 0]);
});
