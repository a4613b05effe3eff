import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import type { Json } from "../../support/server/client.ts";
import { KEEPS_NOTHING, startAppliance } from "../../support/server/appliance.ts";
import {
  contentsOnDisk,
  eventually,
  expectCommonRules,
  openStage,
  type OwnDrive,
  provision,
  runEach,
  runScenarios,
} from "../../support/server/scenario.ts";
import { refused, type Step, step } from "../../support/server/steps.ts";
import { FORM_TYPE, formOf, holds, post, put } from "../../support/server/uploads.ts";
import { startWorld } from "../../support/server/world.ts";
import { sweepContents } from "../../support/samples/contents.ts";
import { tally, expectRefused } from "../../support/server/answers.ts";

const MIB = 1024 * 1024;
const QUOTA = 100 * MIB;
const TWO_HOURS = 2 * 60 * 60 * 1000;

function putPath(drive: OwnDrive, path: string): string {
  return `/v0/files?drive_id=${drive.id}&path=${path}`;
}

function shown(drive: OwnDrive): Promise<{ data: { file_count: number; total_size: number } }> {
  return drive.client.get(`/v0/drives/${drive.id}`);
}

/** A body of so many bytes, whose length nobody says. */
function unannounced(bytes: number): { body: ReadableStream<Uint8Array>; left: () => number } {
  let left = bytes;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const length = Math.min(left, 64 * 1024);
      left -= length;
      if (length > 0) controller.enqueue(new Uint8Array(length));
      else controller.close();
    },
  });
  return { body, left: () => left };
}

describe("the storage of an unclaimed drive", () => {
  const stage = openStage();

  /** A drive with ten files; `missing` bytes are left. */
  async function nearlyFull(missing: number): Promise<{ drive: OwnDrive; first: string }> {
    const drive = await stage.ownDrive();
    const content = new Uint8Array(10 * MIB);
    const { id } = await drive.client.put(drive.id, "0", content);
    for (let n = 1; n <= 8; n += 1)
      await drive.client.post(`/v0/files/${id}/copy`, { destination_path: `${n}` });
    await drive.client.put(drive.id, "9", content.subarray(0, 10 * MIB - missing));
    return { drive, first: id };
  }

  test("is exact under parallel copies", async () => {
    const drive = await stage.ownDrive();
    const { id } = await drive.client.put(drive.id, "0", new Uint8Array(10 * MIB));
    const bodies = Array.from({ length: 30 }, (_, n) => ({ destination_path: `copy-${n}` }));
    const answers = await Promise.all(
      bodies.map((body) => drive.client.send("POST", `/v0/files/${id}/copy`, { body })),
    );
    expect(tally(answers)).toEqual({ 201: 9, 403: 21 });
    for (const answer of answers) expectCommonRules("POST", answer);
    expect((await shown(drive)).data).toMatchObject({ file_count: 10, total_size: QUOTA });
  });

  test("is exact under parallel uploads", async () => {
    const { drive } = await nearlyFull(40);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        drive.client.send("PUT", putPath(drive, `p${i}`), { body: `ten bytes${i % 10}` }),
      ),
    );
    expect(tally(answers)).toEqual({ 201: 4, 403: 16 });
    expect((await shown(drive)).data).toMatchObject({ file_count: 14, total_size: QUOTA });
  });

  test("a full drive takes what needs no room, a replacement as the difference, and again what there is room for", async () => {
    const { drive, first } = await nearlyFull(0);
    const asks: [method: string, path: string, body: Json | Uint8Array<ArrayBuffer>, status: number][] = [
      ["PUT", putPath(drive, "more"), "x", 403],
      ["PUT", putPath(drive, "empty"), "", 201],
      ["POST", `/v0/files/${first}/copy`, { destination_path: "copy" }, 403],
      ["PUT", putPath(drive, "9"), new Uint8Array(10 * MIB), 200],
      ["PUT", putPath(drive, "9"), new Uint8Array(10 * MIB + 1), 403],
      ["POST", `/v0/files/${first}/move`, { destination_path: "moved" }, 200],
      ["PUT", putPath(drive, "moved"), "x", 200],
      ["PUT", putPath(drive, "more"), "x", 201],
    ];
    for (const [method, path, body, status] of asks) {
      const answer = await drive.client.send(method, path, { body });
      expect([method, path, answer.status]).toEqual([method, path, status]);
      if (status === 403) expectRefused(answer, "QUOTA_EXCEEDED");
    }
    expect((await shown(drive)).data).toMatchObject({ file_count: 12, total_size: 90 * MIB + 2 });
  });

  test("what can never fit is refused while it arrives", async () => {
    const drive = await stage.ownDrive();
    const { body, left } = unannounced(2 * QUOTA);
    expect(await drive.client.status("PUT", putPath(drive, "big"), { body })).toBe(403);
    expect(left()).toBeGreaterThan(0);
    expect((await stage.onDisk()).tmp).toEqual([]);
  });
});

test("an account's plan limits all its drives together, and expired files count no more", async () => {
  await using coffer = await startWorld({ "storage-limits": "team=1000" });
  const { clients, drives } = coffer;
  const second = await clients.ada.makeDrive("Second");
  // The world's own file has 12 bytes.
  await clients.ada.put(drives.ada, "fill", "x".repeat(988), 201, "&expires_at=2030-01-02");
  const refusal = await clients.ada.send("PUT", `/v0/files?drive_id=${second.id}&path=a`, { body: "x" });
  expectRefused(refusal, "QUOTA_EXCEEDED");
  await clients.adaDrive.put(drives.ada, "empty", "");
  await clients.adaDrive.put(drives.ada, "b", "x", 403);
  await clients.bob.put(drives.bob, "a", "x".repeat(2000));
  coffer.clock.advance(24 * 60 * 60 * 1000);
  await clients.ada.put(second.id, "a", "x".repeat(988));
});

const base64 = (bytes: number) => Buffer.alloc(bytes).toString("base64");
const form = (bytes: number) =>
  formOf(['name="drive_id"', "{drive}"], ['name="file"; filename="f"', "x".repeat(bytes)]);
const WAYS: readonly (readonly [name: string, upload: (bytes: number) => Step])[] = [
  ["as raw bytes", (bytes) => put("f", "x".repeat(bytes))],
  ["in JSON", (bytes) => post({ filename: "f", content: base64(bytes) })],
  ["in a form", (bytes) => post({}, { body: form(bytes), headers: FORM_TYPE })],
];

describe("the largest file", () => {
  const stage = openStage({ "max-file-size": "100000" });
  const tooLarge = refused("PAYLOAD_TOO_LARGE");
  runEach(stage, WAYS, ([name, upload]) => [
    `fits ${name}, and one byte more does not`,
    { ...upload(100_001), ...tooLarge },
    holds(),
    { ...upload(100_000), json: { path: "f", size: 100_000 } },
  ]);
  runScenarios(stage, {
    "much more in JSON": [post({ content: base64(2_000_000) }, tooLarge), holds()],
    "too many other fields": [
      step("POST /v0/files", { body: { x: "y".repeat(300_000) }, ...tooLarge }),
      holds(),
    ],
  });

  test.each([
    [100_000, 201],
    [100_001, 413],
    [5_000_000, 413],
  ])("%d bytes of unannounced length: %d", async (bytes, status) => {
    const drive = await stage.ownDrive();
    const answer = await drive.client.send("PUT", putPath(drive, "f"), { body: unannounced(bytes).body });
    expect(answer.status).toBe(status);
    expectCommonRules("PUT", answer);
    expect((await stage.onDisk()).tmp).toEqual([]);
  });

  test("an announced length is refused before a byte of it is read", async () => {
    const drive = await stage.ownDrive();
    const client = await RawClient.to(Number(new URL(stage.coffer.appliance.url).port));
    const head = `Host: x\r\nAuthorization: Bearer ${drive.key}\r\nContent-Length: 100001`;
    await client.write(`PUT ${putPath(drive, "f")} HTTP/1.1\r\n${head}\r\n\r\n`);
    const answer = await client.response();
    client.close();
    expect(answer.headers.get("x-request-id")).toBeDefined();
    expect(answer).toMatchObject({ status: 413, body: { error: { code: "PAYLOAD_TOO_LARGE" } } });
  });
});

describe("an upload that is broken off", () => {
  const stage = openStage();
  const long = "x".repeat(300_000);
  const openJson = `{"filename":"broken","content":"${"A".repeat(300_000)}`;
  const openForm = `--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n${long}`;
  const POST = "POST /v0/files HTTP/1.1";
  const requests: [name: string, head: (drive: OwnDrive) => string, piece: string][] = [
    ["as raw bytes", (drive) => `PUT ${putPath(drive, "broken")} HTTP/1.1`, long],
    ["in JSON", () => POST, openJson],
    ["in a form", () => `${POST}\r\nContent-Type: multipart/form-data; boundary=x`, openForm],
  ];
  test.each(requests)("%s leaves nothing", async (_, head, piece) => {
    const drive = await stage.ownDrive();
    const before = await stage.onDisk();
    const client = await RawClient.to(Number(new URL(stage.coffer.appliance.url).port));
    const rest = `Host: x\r\nAuthorization: Bearer ${drive.key}\r\nContent-Length: 1000000`;
    await client.write(`${head(drive)}\r\n${rest}\r\n\r\n${piece}`);
    await eventually(async () => (await stage.onDisk()).tmp.length === 1);
    client.close();
    await eventually(async () => (await stage.onDisk()).tmp.length === 0);
    expect(await stage.onDisk()).toEqual(before);
    expect((await shown(drive)).data).toMatchObject({ file_count: 0, total_size: 0 });
    expect(stage.coffer.lines.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});

describe("contents on the disk", () => {
  test("files of the same content share one, which goes with the last of them; so does what was replaced", async () => {
    await using coffer = await startAppliance(KEEPS_NOTHING);
    const { sweep } = coffer.appliance.services;
    const [drive, other] = [await provision(coffer), await provision(coffer)];
    const { id: first } = await drive.client.put(drive.id, "a", "the same");
    await drive.client.put(drive.id, "b", "the same");
    const { id: third } = await other.client.put(other.id, "c", "the same");
    const { blobs } = await contentsOnDisk(coffer.dataDir);
    expect(blobs).toEqual([Bun.SHA256.hash("the same", "hex")]);
    await drive.client.delete(`/v0/files/${first}`);
    await drive.client.put(drive.id, "b", "", 200);
    await sweepContents(coffer);
    expect((await other.client.send("GET", `/v0/files/${third}/download`)).text).toBe("the same");
    await drive.client.delete(`/v0/files/by-path?drive_id=${drive.id}&path=b`);
    await other.client.put(other.id, "c", "another", 200);
    await sweep.run();
    expect((await contentsOnDisk(coffer.dataDir)).blobs).toContain(blobs[0] ?? "");
    coffer.clock.advance(TWO_HOURS);
    await sweep.run();
    expect(await contentsOnDisk(coffer.dataDir)).toEqual({
      blobs: [Bun.SHA256.hash("another", "hex")],
      tmp: [],
    });
  });

  test("what a refused upload brought is gone at once", async () => {
    await using coffer = await startAppliance();
    const { id, client } = await provision(coffer);
    await client.put(id, "a", "kept");
    for (const [path, headers, status] of [
      ["a", { "if-none-match": "*" }, 412],
      ["b", { "if-match": '"x"' }, 412],
      ["a/b", {}, 409],
    ] as const)
      await client.json(status, "PUT", `/v0/files?drive_id=${id}&path=${path}`, { body: "refused", headers });
    expect((await contentsOnDisk(coffer.dataDir)).blobs).toEqual([Bun.SHA256.hash("kept", "hex")]);
  });
});

test("a disk at its reserve refuses uploads, and nothing else", async () => {
  await using coffer = await startAppliance({ "disk-reserve": "8000TiB" });
  const { id, client } = await provision(coffer);
  const uploads: [method: string, path: string, body: string][] = [
    ["PUT", `/v0/files?drive_id=${id}&path=a`, "x"],
    ["POST", "/v0/files", JSON.stringify({ drive_id: id, filename: "a", content: "AAAA" })],
  ];
  for (const [method, path, body] of uploads) {
    const answer = await client.send(method, path, { body });
    expectRefused(answer, "STORAGE_FULL");
  }
  expect(await contentsOnDisk(coffer.dataDir)).toEqual({ blobs: [], tmp: [] });
  await client.post("/v0/folders", { drive_id: id, path: "a/" });
  expect(await client.paths(`/v0/files?drive_id=${id}`)).toEqual([]);
});
