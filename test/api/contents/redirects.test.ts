import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { present } from "../../../src/domain/errors.ts";
import { REDIRECT } from "../../../src/domain/limits.ts";
import type { UsageRecord } from "../../../src/http/records/usage-schemas.ts";
import { always, S3Server, SLOW_DOWN } from "../../support/peers/s3-server.ts";
import { newContent } from "../../support/samples/contents.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { Description } from "../../support/schemas/description.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Answer, Client } from "../../support/server/client.ts";
import { eventually, expectCommonRules } from "../../support/server/scenario.ts";
import { beginSession } from "../../support/server/sign-in.ts";

const CONTENT = newContent(REDIRECT.bytes + 1000);
/** Another host than that of the server. */
const HOST = "s3.drive.localhost";
const SETTINGS = {
  blobs: "s3://a-bucket/one",
  "blob-redirect": "on",
  // Nothing is here as well.
  "blob-cache": "0",
  "trusted-proxies": "127.0.0.1",
};

let bucket: S3Server;
let coffer: TestAppliance;
let ada: Client;
let drive: string;
let file: string;

beforeAll(async () => {
  const opened: TestAppliance[] = [];
  bucket = await S3Server.start("a-bucket", { clock: { now: () => opened[0]?.clock.now() ?? START } });
  const endpoint = bucket.url.replace("127.0.0.1", HOST);
  coffer = await startAppliance(SETTINGS, { env: { ...bucket.env, S3_ENDPOINT: endpoint } });
  opened.push(coffer);
  addAccount(coffer, "ada");
  ada = await accountClient(coffer, "ada");
  drive = (await ada.makeDrive("Large")).id;
  file = await ada.store(drive, "large.bin", CONTENT);
});
afterAll(async () => {
  await coffer[Symbol.asyncDispose]();
  await bucket[Symbol.asyncDispose]();
});
beforeEach(() => void bucket.asked.splice(0));

const ETAG = `"${Bun.SHA256.hash(CONTENT, "hex")}"`;
const START = Date.parse("2030-01-01T00:00:00.000Z");

type Headers = Record<string, string>;

function download(headers: Headers = {}, { by = ada, id = file, query = "" } = {}): Promise<Answer> {
  return by.send("GET", `/v0/files/${id}/download${query}`, { headers });
}

/** The head of the same answer: what this server sends is not read. */
async function begun(headers: Headers, { by = ada, id = file, query = "" } = {}): Promise<Response> {
  const answer = await by.fetch("GET", `/v0/files/${id}/download${query}`, { headers });
  await answer.body?.cancel();
  return answer;
}

/** The same content under another name, whose type follows from it. */
async function copy(name: string): Promise<string> {
  const { id } = await ada.post<{ id: string }>(`/v0/files/${file}/copy`, { destination_path: name });
  return id;
}

function addressIn({ headers }: Answer): URL {
  return new URL(present(headers.get("location"), "the address"));
}

function follow(answer: Answer, headers: Headers = {}): Promise<Response> {
  return fetch(addressIn(answer), { headers });
}

async function bandwidth(): Promise<number> {
  return (await ada.get<{ data: UsageRecord }>("/v0/account/usage")).data.bandwidth.used;
}

async function linkTo(body: { one_time?: boolean } = {}): Promise<{ id: string; path: string }> {
  const made = await ada.post<{ id: string; token: string }>(`/v0/files/${file}/presigned-url`, body, 200);
  return { id: made.id, path: `/v0/presigned/${made.token}` };
}

const REDIRECTED = { status: 307 };
const NO_SECRET = /X-Amz-Signature/;

describe("a large content in a bucket", () => {
  test("is sent by the bucket: all of it, to save, as what its name says", async () => {
    const answer = await download();
    expect(answer).toMatchObject({ ...REDIRECTED, text: "" });
    expectCommonRules("GET", answer);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
    const sent = await follow(answer);
    expect(Buffer.compare(await sent.bytes(), CONTENT)).toBe(0);
    expect(Object.fromEntries(sent.headers)).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="large.bin"; filename*=UTF-8''large.bin`,
      "cache-control": "private, no-cache",
    });
    // Whether it is there was asked before. The index may read it meanwhile.
    const asked = bucket.asked.filter((each) => /^HEAD|X-Amz-Signature/.test(each));
    expect(asked.map((each) => each.split(" ")[0])).toEqual(["HEAD", "GET"]);
    expect(coffer.lines.join("\n")).not.toMatch(NO_SECRET);
  });

  test("is sent from where a range begins, which the client asks for again", async () => {
    const headers = { range: "bytes=500-" };
    const answer = await download(headers);
    expect(answer).toMatchObject(REDIRECTED);
    const sent = await follow(answer, headers);
    expect([sent.status, Buffer.compare(await sent.bytes(), CONTENT.subarray(500))]).toEqual([206, 0]);
  });

  test("has an address that ends within minutes, and is of no other content", async () => {
    const answer = await download();
    const other = addressIn(answer);
    other.pathname = other.pathname.replace(/.$/, (last) => (last === "0" ? "1" : "0"));
    expect((await fetch(other)).status).toBe(403);
    coffer.clock.advance(REDIRECT.seconds * 1000);
    expect((await follow(answer)).status).toBe(200);
    coffer.clock.advance(1000);
    expect((await follow(answer)).status).toBe(403);
  });

  test.each([
    ['";\r\nX-Evil: 1.bin', 400],
    [`"; filename=evil.html; x=".bin`, 307],
    ["résumé 日本 'x' (1)*%22&response-content-type=text%2Fhtml#+.bin", 307],
    [`${"ü".repeat(120)}.bin`, 307],
  ])("has its name, whatever that is: %j", async (name, status) => {
    if (status === 400) {
      const refused = ada.send("POST", `/v0/files/${file}/copy`, { body: { destination_path: name } });
      expect((await refused).status).toBe(400);
      return;
    }
    const id = await copy(name);
    const local = await ada.send("HEAD", `/v0/files/${id}/download`);
    const sent = await follow(await download({}, { id }));
    await sent.body?.cancel();
    expect(sent.status).toBe(200);
    expect(sent.headers.get("content-disposition")).toBe(local.headers.get("content-disposition"));
    expect(sent.headers.get("content-type")).toBe("application/octet-stream");
  });

  test.each([
    ["a.png", "image/png"],
    ["a.mp4", "video/mp4"],
    ["a.csv", "text/csv"],
    ["a.zip", "application/octet-stream"],
    ["a.wasm", "application/octet-stream"],
  ])("%s has a type that no browser runs: %s", async (name, type) => {
    const sent = await follow(await download({}, { id: await copy(name) }));
    await sent.body?.cancel();
    expect(sent.headers.get("content-type")).toBe(type);
    expect(sent.headers.get("content-disposition")).toStartWith("attachment;");
  });

  test("is sent by the bucket to who asks at a host whose name only ends alike", async () => {
    expect((await begun({ host: "rive.localhost" })).status).toBe(307);
  });

  test("counts as sent, by what is asked for", async () => {
    const before = await bandwidth();
    await download();
    await download({ range: "bytes=500-" });
    expect((await bandwidth()) - before).toBe(2 * CONTENT.length - 500);
  });

  test("that is an earlier version, in a snapshot or at a path, is sent by the bucket too", async () => {
    const id = await copy("versions.bin");
    await ada.send("POST", `/v0/drives/${drive}/snapshots`, { body: {} });
    const [snapshot] = (await ada.get<{ data: { id: string }[] }>(`/v0/drives/${drive}/snapshots`)).data;
    await ada.store(drive, "versions.bin", "small");
    for (const path of [
      `/v0/files/${id}/versions/1/download`,
      `/v0/files/by-path/download?drive_id=${drive}&path=versions.bin&snapshot_id=${snapshot?.id}`,
      `/v0/files/by-path/download?drive_id=${drive}&path=large.bin`,
    ]) {
      expect([path, await ada.status("GET", path)]).toEqual([path, 307]);
    }
  });
});

describe("a link", () => {
  test("leads to the bucket, and is counted once for a download", async () => {
    const { id, path } = await linkTo();
    const nobody = coffer.client();
    const answer = await nobody.send("GET", path);
    expect((await follow(answer)).status).toBe(200);
    await nobody.send("GET", path, { headers: { range: "bytes=500-" } });
    const { data } = await ada.get<{ data: { id: string; uses: number }[] }>(`/v0/links?drive_id=${drive}`);
    expect(data.find((link) => link.id === id)?.uses).toBe(1);
    await ada.delete(`/v0/links/${id}`);
    expect(await nobody.status("GET", path)).toBe(404);
  });

  test("that works once is answered here: an address works more than once", async () => {
    const { path } = await linkTo({ one_time: true });
    expect([await coffer.client().status("GET", path), await coffer.client().status("GET", path)]).toEqual([
      200, 410,
    ]);
  });

  test("that shows a folder leads there to save a file, not to show it", async () => {
    const { token } = await ada.post<{ token: string }>("/v0/links", { drive_id: drive, path: "" });
    const path = `/v0/shared/${token}/download?path=large.bin`;
    const saved = await coffer.client().send("GET", path);
    expect(saved).toMatchObject(REDIRECTED);
    expect(saved.headers.get("x-robots-tag")).toBe("noindex");
    expect(await coffer.client().status("GET", `${path}&inline=1`)).toBe(200);
  });
});

describe("this server sends itself", () => {
  const here: readonly (readonly [what: string, headers: Headers, status?: number, query?: string])[] = [
    ["what is shown", {}, 200, "?inline=1"],
    ["a short range", { range: "bytes=0-99" }, 206],
    ["a range of 8 MiB", { range: `bytes=0-${REDIRECT.bytes - 1}` }, 206],
    ["what several ranges are asked of", { range: "bytes=0-9000000,1-2" }],
    ["what no range is asked of", { range: "lines=1-2" }],
    ["what a page of another origin asks for", { origin: "https://agent.example" }],
    ["what an element of a page asks for", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors" }],
    ["what a script of a page asks for", { "sec-fetch-site": "same-origin", "sec-fetch-mode": "cors" }],
    ["what has changed for a client", { "if-none-match": '"other"' }],
    ["what has changed since", { "if-modified-since": "Mon, 01 Jan 2029 00:00:00 GMT" }],
    ["what has not changed since", { "if-unmodified-since": "Wed, 01 Jan 2031 00:00:00 GMT" }],
    ["what must not have changed", { "if-match": "*" }],
    ["a range of what must not have changed", { "if-range": ETAG, range: "bytes=1-" }, 206],
    ["all of what has changed", { "if-range": '"other"', range: "bytes=1-" }],
    ["what was asked for at the bucket's host", { host: `${HOST}:1` }],
    ["what was asked for at the host above it", { host: "drive.localhost:1" }],
    ["what was asked for there, as a proxy says", { "x-forwarded-host": HOST }],
    ["what was asked for securely, unlike the bucket", { "x-forwarded-proto": "https" }],
    ["what wget asks for with a key, which it would send to the bucket", { "user-agent": "Wget/1.21.3" }],
    ["what Python asks for, as well", { "user-agent": "Python-urllib/3.11" }],
  ];
  test.each(here)("%s", async (_, headers, status = 200, query = "") => {
    expect((await begun(headers, { query })).status).toBe(status);
  });

  test.each(["a.html", "a.svg", "a.xhtml", "a.xml", "a.js", "a.mjs", "a.css", "a.eml", "a.rss", "a.mhtml"])(
    "%s, which browsers run",
    async (name) => {
      const id = await copy(name);
      for (const by of [ada, beginSession(coffer, "ada").browser]) {
        const { status, headers } = await begun({}, { by, id });
        expect([status, headers.get("content-security-policy")]).toEqual([
          200,
          "sandbox; default-src 'none'",
        ]);
      }
    },
  );

  test("the refusals and the conditions that it knows", async () => {
    const head = await ada.send("HEAD", `/v0/files/${file}/download`);
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(CONTENT.length)]);
    expect(head.headers.get("etag")).toBe(ETAG);
    for (const [headers, status] of [
      [{ "if-none-match": ETAG }, 304],
      [{ "if-match": '"other"' }, 412],
      [{ range: `bytes=${CONTENT.length}-` }, 416],
      [{ "sec-fetch-dest": "script" }, 403],
    ] as const) {
      expect([headers, (await download(headers)).status]).toEqual([headers, status]);
    }
    expect((await download({}, { by: coffer.client() })).status).toBe(401);
  });

  test("what a person's browser goes to is redirected, as no page reads it", async () => {
    const { browser } = beginSession(coffer, "ada");
    const headers = { cookie: browser.cookie, "sec-fetch-site": "same-origin", "sec-fetch-mode": "navigate" };
    const answer = await coffer.client().send("GET", `/v0/files/${file}/download`, { headers });
    expect(answer).toMatchObject(REDIRECTED);
  });
});

describe("the bucket", () => {
  test("that lacks a content, or has another one, is not redirected to", async () => {
    const id = await ada.store(drive, "lost.bin", newContent(REDIRECT.bytes + 1));
    const [name, bytes] = present([...bucket.objects].at(-1) ?? null, "the object");
    bucket.objects.delete(name);
    const lost = await download({}, { id });
    expect([lost.status, JSON.parse(lost.text).error.code]).toEqual([500, "INTERNAL"]);
    expect(coffer.appliance.services.scrub.status().damaged).toBe(1);
    bucket.objects.set(name, bytes.subarray(1));
    expect((await download({}, { id })).status).toBe(500);
    bucket.objects.set(name, bytes);
    await ada.store(drive, "again.bin", new Uint8Array(bytes));
    expect((await download({}, { id })).status).toBe(307);
  });

  test("with wrong bytes is not redirected to once that is known, until it is healed", async () => {
    const content = newContent(REDIRECT.bytes + 2);
    const id = await ada.store(drive, "wrong.bin", content);
    const [name] = present([...bucket.objects].at(-1) ?? null, "the object");
    bucket.objects.set(name, content.with(content.length - 1, 99));
    // Their client compares the digest.
    expect((await download({}, { id })).status).toBe(307);
    const shown = await ada.fetch("GET", `/v0/files/${id}/download?inline=1`);
    expect(await failureOf(shown.bytes())).toMatchObject({ code: "ECONNRESET" });
    await eventually(async () => (await download({}, { id })).status === 500);
    await ada.store(drive, "healed.bin", content);
    expect((await download({}, { id })).status).toBe(307);
  });

  test("is not redirected to for a key that is revoked meanwhile", async () => {
    const { id, key } = await ada.makeKey({ name: "short" });
    const { promise: until, resolve } = Promise.withResolvers<void>();
    const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
    bucket.fault = (request) => {
      if (!request.startsWith("HEAD")) return null;
      isAsked();
      return { kind: "late", until };
    };
    try {
      const answer = download({}, { by: coffer.client(key) });
      await asked;
      await ada.send("DELETE", `/v0/keys/${id}`);
      resolve();
      expect((await answer).status).toBe(404);
    } finally {
      bucket.fault = () => null;
    }
  });

  test("that is away is not redirected to: 503", async () => {
    bucket.fault = always(SLOW_DOWN);
    try {
      // The second is not asked of it any more.
      for (let n = 0; n < 3; n++) {
        const answer = await download();
        expect([answer.status, answer.headers.get("location")]).toEqual([503, null]);
      }
    } finally {
      bucket.fault = () => null;
    }
    coffer.clock.advance(60_000);
    await coffer.appliance.services.health.watch();
  });
});

describe("the description and the texts for agents", () => {
  test("say that a redirect may come, where one may", async () => {
    const here = await Description.of(coffer.client());
    const { path: presigned } = await linkTo();
    const { token } = await ada.post<{ token: string }>("/v0/links", { drive_id: drive, path: "large.bin" });
    for (const [id, path] of [
      ["downloadFile", `/v0/files/${file}/download`],
      ["downloadFileByPath", `/v0/files/by-path/download?drive_id=${drive}&path=large.bin`],
      ["downloadVersion", `/v0/files/${file}/versions/1/download`],
      ["downloadByLink", presigned],
      ["downloadShared", `/v0/shared/${token}/download`],
    ] as const) {
      const answer = await ada.send("GET", path);
      expect([id, answer.status, here.answerFaults(here.operation(id), answer)]).toEqual([id, 307, []]);
    }
    expect((await coffer.client().send("GET", "/skill.md")).text).toContain("Follow redirects");
  });

  test("say nothing of it elsewhere", async () => {
    await using usual = await startAppliance();
    const description = await Description.of(usual.client());
    const faults = description.answerFaults(description.operation("downloadFile"), await download());
    expect(faults).toEqual(["307 is not described"]);
    expect((await usual.client().send("GET", "/skill.md")).text).not.toContain("redirect");
  });
});

test("a server whose configured address has the bucket's host redirects nobody there", async () => {
  await coffer.restart({ "base-url": `http://${HOST}` });
  expect((await begun({}, { by: coffer.client(ada.key) })).status).toBe(200);
});
