import { describe, expect, test } from "bun:test";
import { expectRefused, tally } from "../../support/server/answers.ts";
import type { Answer, Json, RequestOptions } from "../../support/server/client.ts";
import { openStage, type OwnDrive } from "../../support/server/scenario.ts";
import { HELLO_DIGEST } from "../../support/server/uploads.ts";
import { idempotencyKey } from "../../support/server/held-request.ts";

const stage = openStage();

const CONTENT_ETAG = `"${HELLO_DIGEST}"`;

interface Made {
  readonly own: OwnDrive;
  readonly id: string;
  /** The address of the record. */
  readonly record: string;
}

/** A drive with one file, "Hello World!". */
async function made(path = "notes/f.txt"): Promise<Made> {
  const own = await stage.ownDrive();
  const { id } = await own.client.put(own.id, path, "Hello World!");
  return { own, id, record: `/v0/files/${id}` };
}

async function etagOf({ own, record }: Made): Promise<string> {
  const { headers } = await own.client.send("GET", record);
  return headers.get("etag") ?? "";
}

describe("a record's ETag", () => {
  const changes: readonly (readonly [name: string, method: string, path: string, body: Json])[] = [
    ["new tags", "PATCH", "", { tags: ["a"] }],
    ["new metadata", "PATCH", "", { metadata: { a: 1 } }],
    ["another filename", "PATCH", "", { filename: "g.txt" }],
    ["another path", "PATCH", "", { path: "notes/g.txt" }],
    ["an expiry", "PATCH", "", { expires_at: "2099-01-01T00:00:00Z" }],
    ["a move", "POST", "/move", { destination_path: "else/" }],
  ];
  test.each(changes)("changes with %s, the content's does not", async (_, method, path, body) => {
    const file = await made();
    const before = await etagOf(file);
    expect(before).toMatch(new RegExp(`^"${HELLO_DIGEST}\\.[0-9a-f]{16}"$`));
    const answer = await file.own.client.send(method, file.record + path, { body });
    expect(answer.status).toBe(200);
    const after = await etagOf(file);
    expect(after).not.toBe(before);
    expect(answer.headers.get("etag")).toBe(method === "PATCH" ? after : CONTENT_ETAG);
    const content = await file.own.client.send("GET", `${file.record}/download`);
    expect(content.headers.get("etag")).toBe(CONTENT_ETAG);
  });

  test("changes with a folder that is moved, and with the content", async () => {
    const file = await made();
    const { own } = file;
    const first = await etagOf(file);
    const move = { drive_id: own.id, path: "notes/", destination_path: "other/" };
    await own.client.post("/v0/folders/move", move, 200);
    const second = await etagOf(file);
    await own.client.put(own.id, "other/f.txt", "new", 200);
    expect(new Set([first, second, await etagOf(file)]).size).toBe(3);
  });

  test("is the same while nothing changes, and says that a copy is current", async () => {
    const file = await made();
    const { client } = file.own;
    const etag = await etagOf(file);
    expect(await etagOf(file)).toBe(etag);
    const read = (ifNoneMatch: string) =>
      client.send("GET", file.record, { headers: { "if-none-match": ifNoneMatch } });
    // The content may be the same while the record is not.
    for (const [tag, status] of [
      [etag, 304],
      [CONTENT_ETAG, 200],
    ] as const) {
      const { headers, text, ...answer } = await read(tag);
      expect([answer.status, headers.get("etag"), text === ""]).toEqual([status, etag, status === 304]);
    }
    await client.patch(file.record, { tags: ["a"] });
    expect((await read(etag)).status).toBe(200);
  });
});

type Ask = (file: Made, headers: Record<string, string>) => Promise<Answer>;

function asking(method: string, path: string, options: RequestOptions = {}): Ask {
  return ({ own, record }, headers) => own.client.send(method, record + path, { ...options, headers });
}

/** Every request that a condition can guard; each reads or changes the file of `made()`. */
const GUARDED: readonly (readonly [name: string, ask: Ask])[] = [
  ["the record", asking("GET", "")],
  ["the content", asking("GET", "/download")],
  ["PATCH", asking("PATCH", "", { body: { tags: ["a"] } })],
  ["a move", asking("POST", "/move", { body: { destination_path: "moved" } })],
  ["a copy", asking("POST", "/copy", { body: { destination_path: "copied" } })],
  ["DELETE", asking("DELETE", "")],
  [
    "a raw upload",
    ({ own }, headers) =>
      own.client.send("PUT", `/v0/files?drive_id=${own.id}&path=notes/f.txt`, { body: "new", headers }),
  ],
  [
    "an upload in JSON",
    ({ own }, headers) => {
      const body = { drive_id: own.id, path: "notes/f.txt", filename: "f.txt", content: "" };
      return own.client.send("POST", "/v0/files", { body, headers });
    },
  ],
];

/** The time on the server, this many seconds later. */
function timeIn(offset: number): string {
  return new Date(stage.coffer.clock.now() + offset * 1000).toUTCString();
}

describe("If-Match and If-Unmodified-Since guard", () => {
  test.each(GUARDED)("%s, where they do not hold", async (_, ask) => {
    const file = await made();
    const before = await etagOf(file);
    await file.own.client.patch(file.record, { metadata: { changed: true } });
    const current = await etagOf(file);
    const refused: Record<string, string>[] = [
      { "if-match": before },
      { "if-match": `"x", W/${CONTENT_ETAG}` },
      { "if-unmodified-since": timeIn(-1) },
      // If-Match has precedence.
      { "if-match": before, "if-unmodified-since": timeIn(0) },
    ];
    for (const headers of refused) expectRefused(await ask(file, headers), "PRECONDITION_FAILED");
    expect(await etagOf(file)).toBe(current);
    expect(await file.own.client.paths(`/v0/files?drive_id=${file.own.id}`)).toEqual(["notes/f.txt"]);
  });

  test.each(GUARDED)("%s, where they hold", async (_, ask) => {
    const holding: ((etag: string) => Record<string, string>)[] = [
      (etag) => ({ "if-match": etag }),
      () => ({ "if-match": CONTENT_ETAG, "if-unmodified-since": timeIn(-1) }),
      () => ({ "if-unmodified-since": timeIn(0) }),
      () => ({ "if-unmodified-since": "yesterday" }),
    ];
    for (const headersFor of holding) {
      const file = await made();
      expect((await ask(file, headersFor(await etagOf(file)))).status).toBeLessThan(300);
    }
  });

  test("nothing where there is no file: If-Unmodified-Since says nothing about it", async () => {
    const own = await stage.ownDrive();
    const headers = { "if-unmodified-since": "Thu, 01 Jan 1970 00:00:00 GMT" };
    const path = `/v0/files?drive_id=${own.id}&path=new.txt`;
    expect((await own.client.send("PUT", path, { body: "x", headers })).status).toBe(201);
  });
});

test("two agents that change the same record do not lose a change", async () => {
  const file = await made();
  const { client } = file.own;
  const etag = await etagOf(file);
  const headers = { "if-match": etag };
  const answers = await Promise.all(
    ["a", "b"].map((tag) => client.send("PATCH", file.record, { body: { tags: [tag] }, headers })),
  );
  expect(tally(answers)).toEqual({ 200: 1, 412: 1 });
});

test("a retry under the same Idempotency-Key is another request with another If-Unmodified-Since", async () => {
  const file = await made();
  const key = idempotencyKey();
  const patch = (more: Record<string, string>) =>
    file.own.client.send("PATCH", file.record, { body: { tags: ["a"] }, headers: { ...key, ...more } });
  const unmodified = { "if-unmodified-since": timeIn(0) };
  expect((await patch(unmodified)).status).toBe(200);
  const again = await patch(unmodified);
  expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  expectRefused(await patch({}), "IDEMPOTENCY_KEY_REUSED");
});
