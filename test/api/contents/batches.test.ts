import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { BATCH } from "../../../src/domain/limits.ts";
import {
  type BatchAnswer,
  LINES,
  linesOf,
  outcomesIn,
  TAR,
  tarOf,
  textsOf,
  writeBatch,
  ZIP,
  zipWith,
} from "../../support/samples/batches.ts";
import { listed } from "../../support/models/feed-replay.ts";
import { changesPage } from "../../support/peers/event-reader.ts";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { openStage, startWithDrive } from "../../support/server/scenario.ts";
import { isThorough } from "../../support/server/thorough.ts";

const stage = openStage();
const GZIP = "application/gzip";

async function pathsIn(client: Client, drive: string): Promise<string[]> {
  return [...(await listed(client, drive)).keys()].toSorted();
}

async function textAt(client: Client, drive: string, path: string): Promise<string> {
  return (await client.send("GET", `/v0/files/by-path/download?drive_id=${drive}&path=${path}`)).text;
}

test("each line is a file, with an outcome of its own, in their order; what is wrong with one harms no other", async () => {
  const { client, id } = await stage.ownDrive();
  await client.put(id, "taken", "x");
  const large = "x".repeat(BATCH.fileBytes + 1);
  const written = await writeBatch(
    client,
    id,
    `${linesOf([
      { path: "a.txt", text: "one", tags: ["t"], metadata: { m: 1 } },
      { path: "dir/b.bin", base64: btoa("two") },
      { path: "../c", text: "" },
      { path: "taken/below", text: "" },
      { path: "a.txt", text: "again", only_create: true },
      { path: "long", text: large },
      { path: "e", text: "x", content_type: "none" },
    ])}\n{"path":\n\n${linesOf([{ path: "a.txt", content: btoa("three") }])}`,
  );
  expect(outcomesIn(written)).toEqual([
    "a.txt created",
    "dir/b.bin created",
    "../c VALIDATION_ERROR",
    "taken/below CONFLICT",
    "a.txt PRECONDITION_FAILED",
    " PAYLOAD_TOO_LARGE",
    "e VALIDATION_ERROR",
    " VALIDATION_ERROR",
    "a.txt replaced",
  ]);
  expect(written.results.map(({ line }) => line ?? 0)).toEqual([0, 0, 3, 4, 5, 6, 7, 8, 0]);
  expect(written).toMatchObject({ created: 2, replaced: 1, skipped: 0, failed: 6 });
  expect(await textAt(client, id, "a.txt")).toBe("three");
  expect(await pathsIn(client, id)).toEqual(["a.txt", "dir/b.bin", "taken"]);
});

test("a batch equals its single writes, and is one entry of the feed and one undo", async () => {
  const [many, single] = [await stage.ownDrive(), await stage.ownDrive()];
  const files = Object.fromEntries(
    Array.from({ length: 70 }, (_, n) => [`d${n % 5}/${n}.txt`, `text ${n % 9} `.repeat(n * 50)]),
  );
  const before = { "d1/1.txt": "old", "other.txt": "stays" };
  for (const own of [many, single])
    for (const [path, text] of Object.entries(before)) await own.client.put(own.id, path, text);
  const start = await listed(many.client, many.id);
  const { batch_id: batch } = await writeBatch(many.client, many.id, textsOf(files));
  for (const [path, text] of Object.entries(files))
    await single.client.send("PUT", `/v0/files?drive_id=${single.id}&path=${path}`, { body: text });
  expect(await listed(many.client, many.id)).toEqual(await listed(single.client, single.id));
  const { data } = await changesPage(many.client, `drive_id=${many.id}&summary=true&sort=-id&limit=2`);
  expect(data).toMatchObject([
    { type: "files.written", path: "", file_count: 70, ref: batch },
    { type: "file.created", path: "other.txt" },
  ]);
  await many.client.post("/v0/undo", { drive_id: many.id, batch_id: batch }, 200);
  expect(await listed(many.client, many.id)).toEqual(start);
});

describe("where there is a file already:", () => {
  test.each([
    ["replace", "a.md replaced", "new"],
    ["skip", "a.md skipped", "old"],
    ["fail", "a.md CONFLICT", "old"],
    ["keep_both", "a (2).md created", "old"],
  ])("%s", async (how, outcome, text) => {
    const { client, id } = await stage.ownDrive();
    await client.put(id, "a.md", "old");
    const written = await writeBatch(client, id, textsOf({ "a.md": "new" }), `&on_conflict=${how}`);
    expect([outcomesIn(written), await textAt(client, id, "a.md")]).toEqual([[outcome], text]);
  });
});

describe("archives:", () => {
  const files = {
    "a.txt": "A",
    [`${"n".repeat(150)}/${"m".repeat(200)}.txt`]: "long",
    "dir/b.bin": "b".repeat(100_000),
  };
  test.each([
    ["tar", TAR, async () => new Bun.Archive(files).bytes()],
    ["tar.gz", GZIP, async () => new Uint8Array(gzipSync(await new Bun.Archive(files).bytes()))],
  ])("%s is unpacked, below a prefix", async (_, type, pack) => {
    const { client, id } = await stage.ownDrive();
    await writeBatch(client, id, await pack(), "&prefix=in", type);
    expect(await pathsIn(client, id)).toEqual(
      Object.keys(files)
        .map((path) => `in/${path}`)
        .toSorted(),
    );
    expect(await textAt(client, id, "in/dir/b.bin")).toBe(files["dir/b.bin"]);
  });

  test("one that this server made comes back", async () => {
    const { client, id } = await stage.ownDrive();
    await writeBatch(client, id, textsOf({ ...files, empty: "" }));
    const archive = new Uint8Array(
      await (await client.fetch("GET", `/v0/archive?drive_id=${id}`)).arrayBuffer(),
    );
    const other = await stage.ownDrive();
    await writeBatch(other.client, other.id, archive, "", ZIP);
    expect(await listed(other.client, other.id)).toEqual(await listed(client, id));
  });

  test("links, hostile paths, and what is encrypted or packed otherwise fail alone", async () => {
    const { client, id } = await stage.ownDrive();
    const tar = tarOf([
      { name: "./folder/", type: "5" },
      { name: "./link", type: "2" },
      { name: "../../x" },
      { name: "/abs", content: "abs" },
      { name: String.raw`a\b` },
      { name: "./last", content: "last" },
    ]);
    const written = outcomesIn(await writeBatch(client, id, tar, "", TAR));
    const bad = "VALIDATION_ERROR";
    expect(written).toEqual([`link ${bad}`, `../../x ${bad}`, "abs created", `a\\b ${bad}`, "last created"]);
    for (const [flags, method] of [
      [1, 0],
      [1, 8],
      [0, 12],
    ] as const) {
      const zip = await writeBatch(client, id, zipWith("odd", flags, method), "&on_conflict=skip", ZIP);
      expect(outcomesIn(zip)[0]).toBe(`odd ${bad}`);
      expect(zip.results[1]?.path).toBe("last.txt");
    }
    const damaged = zipWith("odd", 0, 0).map((byte, at) => (at === 35 ? byte ^ 1 : byte));
    expect(outcomesIn(await writeBatch(client, id, damaged, "", ZIP))[0]).toBe(`odd ${bad}`);
    const folders = await client.get<{ data: { path: string }[] }>(`/v0/folders?drive_id=${id}`);
    expect(folders.data.map(({ path }) => path)).toEqual(["folder/"]);
  });

  test("a bomb is bounded by what comes of it, and one that is cut off or no archive says so", async () => {
    const { client, id } = await stage.ownDrive();
    const bomb = zipWith("bomb", 0, 8, "0".repeat((isThorough() ? 50 : 2) * BATCH.fileBytes));
    expect(outcomesIn(await writeBatch(client, id, bomb, "", ZIP))).toEqual([
      "bomb PAYLOAD_TOO_LARGE",
      "last.txt created",
    ]);
    const long = tarOf([{ name: "huge", size: 2 ** 32, content: "x" }]);
    const gzip = new Uint8Array(
      gzipSync(Buffer.concat([long.subarray(0, 512), Buffer.alloc(BATCH.unpackedBytes)]), { level: 1 }),
    );
    expect(outcomesIn(await writeBatch(client, id, gzip, "", GZIP))).toEqual([
      "huge PAYLOAD_TOO_LARGE",
      " PAYLOAD_TOO_LARGE",
    ]);
    for (const [type, body] of [
      [TAR, "x".repeat(600)],
      [GZIP, "x"],
      [ZIP, "x"],
      [TAR, long.slice(0, 513)],
    ] as const) {
      const broken = await writeBatch(client, id, body, "", type);
      expect([type, broken.results.at(-1)?.error?.code]).toEqual([type, "VALIDATION_ERROR"]);
    }
    expect(await pathsIn(client, id)).toEqual(["last.txt"]);
  });
});

describe("all or nothing:", () => {
  const good: Json = { path: "good", text: "x" };
  test.each<readonly [string, Json, string]>([
    ["the same path twice", { path: "/good", text: "y" }, "line 2"],
    ["a file where a folder is needed", { path: "taken/x", text: "" }, "line 2"],
    ["a condition that does not hold", { path: "taken", text: "", only_create: true }, "line 2"],
    ["a malformed path", { path: "a//b", text: "" }, "line 2"],
    ["no content", { path: "b" }, "line 2"],
  ])("%s is the error of all, which says where", async (_, bad, where) => {
    const { client, id } = await stage.ownDrive();
    await client.put(id, "taken", "x");
    const before = await changesPage(client, `drive_id=${id}`);
    const answer = await client.send("POST", `/v0/files/batch?drive_id=${id}&atomic=1`, {
      body: linesOf([good, bad]),
      headers: { "content-type": LINES },
    });
    expect([answer.status >= 400, answer.text]).toEqual([true, expect.stringContaining(where)]);
    expect(await pathsIn(client, id)).toEqual(["taken"]);
    expect(await changesPage(client, `drive_id=${id}`)).toEqual(before);
  });

  test("many are written", async () => {
    const { client, id } = await stage.ownDrive();
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}`, `${n}`.repeat(n * 300)]));
    const written = await writeBatch(client, id, textsOf(files), "&atomic=1");
    expect([written.created, (await listed(client, id)).size]).toEqual([100, 100]);
  });

  test("where no earlier contents are kept, only new files are", async () => {
    await using coffer = await startWithDrive(KEEPS_NOTHING);
    const { client, id } = coffer.own;
    await writeBatch(client, id, textsOf({ a: "1" }), "&atomic=1");
    const headers = { "content-type": LINES };
    const again = { body: textsOf({ b: "2", a: "2" }), headers };
    expect(await client.status("POST", `/v0/files/batch?drive_id=${id}&atomic=1`, again)).toBe(409);
    expect(await pathsIn(client, id)).toEqual(["a"]);
  });
});

test("one file more than there may be fails, and ends it", async () => {
  const { client, id } = await stage.ownDrive();
  const files = Array.from({ length: BATCH.files + 2 }, (_, n) => ({ path: `f${n}`, text: "" }));
  const written = await writeBatch(client, id, linesOf(files));
  expect([written.created, written.failed, written.results.length]).toEqual([1000, 1, 1001]);
  expect(written.results.at(-1)).toMatchObject({ line: 1001, error: { code: "PAYLOAD_TOO_LARGE" } });
});

test("a key of a folder writes in there alone; a retry writes once, and another body under its key is refused", async () => {
  const { client, id } = await stage.ownDrive();
  const { key } = await client.makeKey({ name: "inside", path_prefix: "in/" });
  const inside = stage.coffer.client(key);
  const body = textsOf({ "in/a": "x", b: "x" });
  const headers = { "content-type": LINES, "idempotency-key": "one" };
  const send = (sent: string) =>
    inside.send("POST", `/v0/files/batch?drive_id=${id}`, { body: sent, headers });
  const [first, again, other] = [await send(body), await send(body), await send(`${body}\n`)];
  const answer: BatchAnswer = JSON.parse(first.text);
  expect(outcomesIn(answer)).toEqual(["in/a created", "b FORBIDDEN"]);
  expect([again.text, again.headers.get("idempotency-replayed"), other.status]).toEqual([
    first.text,
    "true",
    422,
  ]);
  expect(await pathsIn(client, id)).toEqual(["in/a"]);
});
