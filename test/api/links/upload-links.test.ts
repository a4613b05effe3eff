import { describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { accountClient, startWithAda } from "../../support/server/accounts.ts";
import type { Json, RequestOptions } from "../../support/server/client.ts";
import { openStage, runEach, runScenarios } from "../../support/server/scenario.ts";
import { invalid, type Step, step, wrongBodies } from "../../support/server/steps.ts";
import { HELLO_DIGEST, holds } from "../../support/server/uploads.ts";
import { linkUpload } from "../../support/server/targets.ts";
import { type HeldRequest, holdUpload, idempotencyKey, isLetIn } from "../../support/server/held-request.ts";

const stage = openStage({ "base-url": "https://drive.test", "max-file-size": "1KiB" });

const MINUTE_MS = 60_000;

const URL_OF_LINK = /^https:\/\/drive\.test\/v0\/uploads\/upl_[0-9a-f]{48}$/;

function make(body: { [name: string]: Json } = {}, more: Partial<Step> = {}): Step {
  return step("POST /v0/upload-links", {
    body: { drive_id: "{drive}", path: "in/hello.txt", ...body },
    status: 201,
    json: { url: expect.stringMatching(URL_OF_LINK) },
    ...more,
  });
}

/** A drive of one's own, and a link for an upload into it. */
async function linked(body: { [name: string]: Json } = {}) {
  const own = await stage.ownDrive();
  const place = { drive_id: own.id, path: "in/hello.txt", ...body };
  const { url } = await own.client.post<{ url: string }>("/v0/upload-links", place);
  const path = new URL(url).pathname;
  const send = (options: RequestOptions = { body: "Hello World!" }, method = "PUT") =>
    stage.coffer.client().send(method, path, options);
  const files = async () => (await own.client.get<{ data: Json[] }>(`/v0/files?drive_id=${own.id}`)).data;
  return { own, path, send, files };
}

/** Begins an upload. It has been let in, and waits for the rest of its content. */
function begin(path: string): Promise<HeldRequest> {
  return holdUpload(stage.coffer.client(), path);
}

describe("making one", () => {
  const bad = wrongBodies({
    expires_in: [0, 86_401, "60"],
    max_size: [0, 1.5],
    path: ["in/", "", "../x", `${"a/".repeat(600)}a`, 1],
    drive_id: [""],
  });
  runScenarios(stage, {
    "for an hour by default": [
      make({}, { json: { url: expect.stringMatching(URL_OF_LINK), expires_at: "2030-01-01T01:00:00.000Z" } }),
      holds(),
    ],
    "for a day": make({ expires_in: 86_400 }, { json: { expires_at: "2030-01-02T00:00:00.000Z" } }),
    "for a size beyond the server's": make({ max_size: Number.MAX_SAFE_INTEGER }),
  });
  runEach(stage, bad, ([body, field]) => [
    `${JSON.stringify(body).slice(0, 40)} is refused`,
    make(body, invalid(field)),
  ]);
});

describe("an upload with one", () => {
  test("is an upload of raw bytes, to whoever has it", async () => {
    const { own, send, files } = await linked();
    const answer = await send();
    expect(answer.status).toBe(201);
    const record: { id: string } = JSON.parse(answer.text);
    expect(record).toMatchObject({
      drive_id: own.id,
      path: "in/hello.txt",
      filename: "hello.txt",
      mime_type: "text/plain",
      size: 12,
      content_hash: `sha256:${HELLO_DIGEST}`,
    });
    expect(answer.headers.get("etag")).toBe(`"${HELLO_DIGEST}"`);
    expect(await files()).toEqual([record]);
    expect((await own.client.send("GET", `/v0/files/${record.id}/download`)).text).toBe("Hello World!");
  });

  test("of another origin's page replaces a file as raw bytes do: it keeps its id, its tags and its expiry, and takes the type of its header", async () => {
    const { own, send } = await linked();
    const kept = { tags: ["kept"], expires_at: "2040-01-01T00:00:00.000Z" };
    const query = `&tags=kept&expires_at=${kept.expires_at}`;
    const { id } = await own.client.put(own.id, "in/hello.txt", "before", 201, query);
    const headers = { origin: "https://elsewhere.test", "content-type": "application/json" };
    const answer = await send({ body: "{}", headers });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
    expect(JSON.parse(answer.text)).toMatchObject({ id, size: 2, mime_type: "application/json", ...kept });
  });

  test("is used up once it is complete, and by nothing before", async () => {
    const { own, send, files, path } = await linked({ max_size: 20 });
    await own.client.put(own.id, "in/hello.txt", "before");
    const refusals = [
      await send({ body: "x", headers: { "if-none-match": "*" } }),
      await send({ body: "x", headers: { "if-match": '"other"' } }),
      await send({ body: "x", headers: { "content-type": "nonsense" } }),
      await send({ body: "x", headers: { "content-range": "bytes 0-0/2" } }),
      await send({ body: "x", headers: { "content-encoding": "gzip" } }),
      await send({ body: "x".repeat(21) }),
      await send({ body: new Blob(["x".repeat(21)]).stream() }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([412, 412, 400, 400, 415, 413, 413]);
    for (const { text } of refusals.slice(-2)) expect(text).toContain("20 bytes");
    // A client that leaves in the middle.
    const headers = idempotencyKey();
    const socket = connect(Number(new URL(stage.coffer.appliance.url).port), "127.0.0.1");
    const key = `idempotency-key: ${headers["idempotency-key"]}`;
    socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\n${key}\r\ncontent-length: 12\r\n\r\nHello`);
    await isLetIn(stage.coffer.client(), headers);
    socket.destroy();
    expect(await files()).toMatchObject([{ size: 6 }]);
    expect((await send()).status).toBe(200);
    expect((await send()).status).toBe(410);
    expect(await files()).toMatchObject([{ size: 12 }]);
  });

  test("does not exceed what the server takes, and may be empty", async () => {
    const { send, files } = await linked({ max_size: 1_000_000 });
    const answer = await send({ body: "x".repeat(1025) });
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining("1024 bytes")]);
    expect(await files()).toEqual([]);
    expect(JSON.parse((await send({ body: "" })).text)).toMatchObject({ size: 0 });
  });

  test("cannot stand where a folder is", async () => {
    const { own, send } = await linked({ path: "in" });
    await own.client.post("/v0/folders", { drive_id: own.id, path: "in/" });
    expect((await send()).status).toBe(409);
  });

  test("that began before another was complete comes too late", async () => {
    const { path, send, files } = await linked();
    const slow = await begin(path);
    expect((await send({ body: "fast" })).status).toBe(201);
    expect((await slow.complete()).status).toBe(410);
    expect(await files()).toMatchObject([{ size: 4 }]);
  });

  test("by another method is told which one it takes, also without a key", async () => {
    const { send } = await linked();
    for (const method of ["GET", "HEAD", "POST", "PATCH", "DELETE"]) {
      const answer = await send({}, method);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "PUT"]);
    }
    expect((await send()).status).toBe(201);
  });
});

describe("a link ends", () => {
  test("while its content arrives", async () => {
    const { path, files } = await linked({ expires_in: 60 });
    const upload = await begin(path);
    stage.coffer.clock.advance(MINUTE_MS);
    expect((await upload.complete()).status).toBe(410);
    expect(await files()).toEqual([]);
  });

  test("when the key that made it is revoked while the content arrives", async () => {
    const { own, files } = await linked();
    const other = await own.client.makeKey();
    const upload = await begin(
      `/v0/uploads/${await linkUpload(stage.coffer.client(other.key), own.id, "a")}`,
    );
    await own.client.delete(`/v0/keys/${other.id}`);
    expect((await upload.complete()).status).toBe(404);
    expect(await files()).toEqual([]);
  });
});

test("the drive's owner pays: a full drive takes nothing", async () => {
  await using coffer = await startWithAda({ "storage-limits": "free=1000,pro=1000,team=1000" });
  const ada = await accountClient(coffer, "ada");
  const drive = await ada.makeDrive("D");
  await ada.put(drive.id, "full", "x".repeat(990));
  const path = `/v0/uploads/${await linkUpload(ada, drive.id, "more")}`;
  const send = (body: string) => coffer.client().send("PUT", path, { body });
  expect((await send("x".repeat(11))).text).toContain("QUOTA_EXCEEDED");
  expect((await send("x".repeat(10))).status).toBe(201);
});
