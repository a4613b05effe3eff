import { afterAll, beforeAll, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { Type } from "@sinclair/typebox";
import { Parse } from "@sinclair/typebox/value";
import { zipSync } from "fflate";
import * as fc from "fast-check";
import { nameBeside, ON_CONFLICT, type OnConflict } from "../../src/domain/files/taken.ts";
import { batchEntries, type BATCH_TYPES } from "../../src/http/upload/batch/entries.ts";
import type { BatchFields } from "../../src/services/contents/batch-upload.ts";
import type { UploadEnvelope } from "../../src/http/upload/upload-body.ts";
import { listed } from "../support/models/feed-replay.ts";
import { anyCuts, forAllAsync, inPieces } from "../support/models/properties.ts";
import { type BatchAnswer, linesOf, outcomesIn, tarOf } from "../support/samples/batches.ts";
import { hashOf } from "../support/samples/hash.ts";
import { startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { provision } from "../support/server/scenario.ts";

let coffer: TestAppliance;

beforeAll(async () => {
  coffer = await startAppliance();
});
afterAll(() => coffer[Symbol.asyncDispose]());

type Format = keyof typeof BATCH_TYPES;
type Sent = readonly [path: string, text: string];

const TYPES: Readonly<Record<Format, string>> = {
  lines: "application/jsonl",
  tar: "application/x-tar",
  gzip: "application/gzip",
  zip: "application/zip",
};

function packed(format: Format, files: readonly Sent[]): Uint8Array<ArrayBuffer> {
  const tar = () => tarOf(files.map(([name, content]) => ({ name, content })));
  switch (format) {
    case "lines":
      return new Uint8Array(Buffer.from(linesOf(files.map(([path, text]) => ({ path, text })))));
    case "tar":
      return tar();
    case "gzip":
      return new Uint8Array(gzipSync(tar()));
    case "zip":
      return new Uint8Array(
        zipSync(Object.fromEntries(files.map(([path, text]) => [path, Buffer.from(text)]))),
      );
  }
}

/** Of a line. */
function fieldsOf({ fields }: UploadEnvelope): BatchFields {
  const { path: at } = Parse(Type.Object({ path: Type.String() }), fields);
  return { path: at, metadata: undefined, tags: undefined, expiresAt: undefined };
}

/** What a drive must come to: each file is one more write. */
class DriveModel {
  readonly files = new Map<string, string>();
  readonly #folders = new Set<string>();

  /** What becomes of a file, as in `outcomesIn`. */
  put(path: string, text: string, onConflict: OnConflict): string {
    const taken = (at: string) => this.files.has(at) || this.#folders.has(at);
    const target = onConflict === "keep_both" ? firstFree(path, taken) : path;
    const segments = target.split("/");
    const above = segments.slice(1).map((_, end) => segments.slice(0, end + 1).join("/"));
    const isThere = this.files.has(target);
    if (isThere && onConflict === "skip") return `${path} skipped`;
    const isInTheWay = this.#folders.has(target) || (isThere && onConflict === "fail");
    if (isInTheWay || above.some((folder) => this.files.has(folder))) return `${path} CONFLICT`;
    for (const folder of above) this.#folders.add(folder);
    this.files.set(target, hashOf(Buffer.from(text)));
    return `${target} ${isThere ? "replaced" : "created"}`;
  }

  /** As `listed` has it. */
  get hashes(): Map<string, string> {
    return new Map([...this.files].map(([path, hash]) => [path, `sha256:${hash}`]));
  }
}

function firstFree(path: string, isTaken: (path: string) => boolean): string {
  const [name = "", ...folders] = path.split("/").toReversed();
  const start = folders.toReversed().map((folder) => `${folder}/`);
  for (let [at, n] = [path, 2]; ; n += 1) {
    if (!isTaken(at)) return at;
    at = start.join("") + nameBeside(name, "file", ` (${n})`);
  }
}

/** Few names, so that many are taken, also a folder's by a file. */
const path = fc
  .array(fc.constantFrom("a", "b", "c.md"), { minLength: 1, maxLength: 3 })
  .map((segments) => segments.join("/"));
const sent: fc.Arbitrary<Sent> = fc.tuple(path, fc.string({ unit: "grapheme", maxLength: 12 }));
const format = fc.constantFrom<Format>("lines", "tar", "gzip", "zip");

const asked = fc.record({
  before: fc.array(sent, { maxLength: 5 }),
  files: fc.array(sent, { minLength: 1, maxLength: 30 }),
  format,
  onConflict: fc.constantFrom(...ON_CONFLICT),
  isAtomic: fc.boolean(),
});

test("a batch comes to what its files come to one by one, or to nothing, and is undone and done again as one", async () => {
  await forAllAsync(1, asked, async ({ before, files: given, format: as, onConflict, isAtomic }) => {
    const { client, id } = await provision(coffer);
    const [model, start] = [new DriveModel(), new DriveModel()];
    for (const [at, text] of before) {
      const { status } = await client.send("PUT", `/v0/files?drive_id=${id}&path=${at}`, { body: text });
      const outcome = start.put(at, text, "replace");
      model.put(at, text, "replace");
      expect(status).toBe(outcome.endsWith("CONFLICT") ? 409 : outcome.endsWith("created") ? 201 : 200);
    }
    const isUnique = new Set(given.map(([at]) => at)).size === given.length;
    // The maker of the test's ZIP archives knows no two entries of one name.
    const form = as === "zip" && !isUnique ? "lines" : as;
    const expected = given.map(([at, text]) => model.put(at, text, onConflict));
    const isRefused = isAtomic && (!isUnique || expected.some((outcome) => outcome.endsWith("CONFLICT")));
    const answer = await client.send(
      "POST",
      `/v0/files/batch?drive_id=${id}&on_conflict=${onConflict}&atomic=${isAtomic}`,
      { body: packed(form, given), headers: { "content-type": TYPES[form] } },
    );
    if (isRefused) {
      expect([400, 409]).toContain(answer.status);
      expect(await listed(client, id)).toEqual(start.hashes);
      return;
    }
    expect(answer.status).toBe(200);
    const written: BatchAnswer = JSON.parse(answer.text);
    expect(outcomesIn(written)).toEqual(expected);
    expect(await listed(client, id)).toEqual(model.hashes);
    if (written.batch_id === null) return;
    const undo = (batch: string) =>
      client.post<{ batch_id: string }>("/v0/undo", { drive_id: id, batch_id: batch }, 200);
    const undone = await undo(written.batch_id);
    expect(await listed(client, id)).toEqual(start.hashes);
    await undo(undone.batch_id);
    expect(await listed(client, id)).toEqual(model.hashes);
  });
});

test("the files of a body are the same, wherever it is cut on its way", async () => {
  const files = fc.uniqueArray(fc.tuple(path, fc.string({ unit: "binary", maxLength: 3000 })), {
    selector: ([name]) => name,
    maxLength: 5,
  });
  await forAllAsync(2, files, format, anyCuts, async (given, as, cuts) => {
    const found: Sent[] = [];
    const body = inPieces(packed(as, given), cuts);
    for await (const entry of batchEntries(as, body, fieldsOf)) {
      const pieces: Uint8Array[] = [];
      const { path: at } = await entry.read(async (piece) => void pieces.push(piece.slice()));
      found.push([at, Buffer.concat(pieces).toString()]);
    }
    expect(found).toEqual(given.map(([at, text]) => [at, text.toWellFormed()]));
  });
});
