import { afterAll, beforeAll, expect, test } from "bun:test";
import { MIB } from "../../../src/domain/limits.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { ByteMeter } from "../../support/meters/byte-meter.ts";
import type { Client, Json } from "../../support/server/client.ts";

/** Bytes that one turn may search, copy or compare: a millisecond or two. */
const MOST_BYTES = 3 * MIB;

let coffer: TestAppliance;
let client: Client;
let place: string;
beforeAll(async () => {
  coffer = await startAppliance();
  const { apiKey, driveId } = await coffer.appliance.services.drives.provision("Drive");
  place = `drive_id=${driveId}&path=long.txt`;
  client = coffer.client(apiKey);
});
afterAll(() => coffer[Symbol.asyncDispose]());

const LINE = "one line of a text that is edited\n";

function lines(bytes: number): Buffer<ArrayBuffer> {
  return Buffer.from(LINE.repeat(Math.floor(bytes / LINE.length)));
}

const LONG = lines(15 * MIB);
const LINES = LONG.length / LINE.length;
const many = (count: number, edit: Json): Json => ({ edits: Array.from({ length: count }, () => edit) });

/** Texts of the largest sizes, in every encoding, and what edits them at many places, or far down. */
const CASES: readonly (readonly [name: string, text: Buffer<ArrayBuffer>, edit: Json, status: number])[] = [
  ["an insertion far down", LONG, { op: "insert", line: LINES - 1, text: "x" }, 200],
  ["an insertion at the start", LONG, { op: "insert", line: 0, text: "x" }, 200],
  ["a text that is not there", LONG, { op: "str_replace", old_string: "nowhere", new_string: "" }, 409],
  ["a text that is there often", LONG, { op: "str_replace", old_string: "one line", new_string: "" }, 409],
  [
    "many places",
    lines(3 * MIB),
    { op: "str_replace", old_string: "line of", new_string: "row", replace_all: true },
    200,
  ],
  [
    "the same again at many places",
    lines(3 * MIB),
    { op: "str_replace", old_string: "line", new_string: "line", replace_all: true },
    200,
  ],
  ["many edits", lines(MIB - LINE.length), many(100, { op: "insert", line: 30_000, text: "x" }), 200],
  [
    "UTF-16",
    Buffer.from(`\ufeff${lines(7 * MIB).toString()}`, "utf16le"),
    { op: "insert", line: 9, text: "x" },
    200,
  ],
  [
    "Latin-1",
    Buffer.concat([Buffer.from([0xe4, 0x0a]), LONG]),
    { op: "insert", line: LINES - 1, text: "x" },
    200,
  ],
];

test.each(CASES)("an edit of a long text lets others go first: %s", async (_, text, body, status) => {
  coffer.clock.advance(60_000);
  const headers = { "content-type": "text/plain" };
  await client.json(201, "PUT", `/v0/files?${place}`, { body: text, headers });
  using meter = new ByteMeter();
  const { status: answered } = await client.send("POST", `/v0/files/by-path/edit?${place}`, { body });
  const tooMany = Math.max(0, meter.largest() - MOST_BYTES);
  await client.delete(`/v0/files/by-path?${place}`);
  expect([answered, tooMany]).toEqual([status, 0]);
});
