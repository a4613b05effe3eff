import { beforeAll, describe, expect, test } from "bun:test";
import { KEEPS_NOTHING } from "../../support/server/appliance.ts";
import {
  expectCommonRules,
  openStage,
  runEach,
  runScenarios,
  runAfter,
} from "../../support/server/scenario.ts";
import { type Expected, invalid, refused, refuses, type Step, step } from "../../support/server/steps.ts";
import { HELLO_DIGEST, post, put } from "../../support/server/uploads.ts";
import { beginSession } from "../../support/server/sign-in.ts";
import { sweepContents } from "../../support/samples/contents.ts";
import { rawGet } from "../../support/peers/slow-reader.ts";
import type { Client } from "../../support/server/client.ts";

// What is deleted leaves the disk: a download must not need it there.
const stage = openStage(KEEPS_NOTHING);

const ETAG = `"${HELLO_DIGEST}"`;
/** A byte string that does not repeat within 1 MiB, and that no buffer's end falls together with. */
const LARGE = Uint8Array.from(
  { length: 1024 * 1024 + 7 },
  (_, i) => (Math.imul(i, 2_654_435_761) >>> 13) & 255,
);

const hello = put("hello.txt", "Hello World!", { keeps: "file" });
const whole = { contains: [/^Hello World!$/] } as const;
const large = put("large.bin", LARGE, { keeps: "file" });

function get(expected: Expected, query = ""): Step {
  return step(`GET /v0/files/{file.id}/download${query}`, expected);
}

function ranged(range: string, expected: Expected): Step {
  return get({ headers: { range }, ...expected });
}

function exactly(text: string): RegExp {
  return new RegExp(`^${RegExp.escape(text)}$`);
}

describe("what a page could run of our origin", () => {
  const applications = ["Application/JavaScript; charset=utf-8", "application/x-ecmascript"];
  const TYPES = ["text/javascript", "text/javascript1.5", "text/css", ...applications];
  test.each(TYPES)("%s is its type with a key, and text without one", async (type) => {
    const { coffer, world } = stage;
    const { ada } = world.clients;
    const address = `/v0/files?drive_id=${world.drives.ada}&path=${crypto.randomUUID()}`;
    const sent = { body: "alert(origin)", headers: { "content-type": type } };
    const { id } = await ada.json<{ id: string }>(201, "PUT", address, sent);
    const { token } = await ada.json<{ token: string }>(200, "POST", `/v0/files/${id}/presigned-url`);
    const path = `/v0/files/${id}/download`;
    const { browser } = beginSession(coffer, "ada");
    const asks: [by: Client, path: string, type: string][] = [
      [ada, path, type.toLowerCase()],
      [browser, path, "text/plain"],
      [browser, `${path}?inline=1`, "text/plain"],
      [coffer.client(), `/v0/presigned/${token}`, "text/plain"],
    ];
    for (const [by, asked, shown] of asks) {
      const { headers } = await by.send("GET", asked);
      expect([asked, headers.get("content-type")?.toLowerCase()]).toEqual([asked, shown]);
    }
  });
});

describe("headers", () => {
  const shown = {
    etag: ETAG,
    "last-modified": "Tue, 01 Jan 2030 00:00:00 GMT",
    "accept-ranges": "bytes",
    "content-type": "text/plain",
    "content-length": "12",
    "content-disposition": `attachment; filename="hello.txt"; filename*=UTF-8''hello.txt`,
    "repr-digest": `sha-256=:${Buffer.from(HELLO_DIGEST, "hex").toString("base64")}:`,
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "content-range": null,
    "content-encoding": null,
    "transfer-encoding": null,
  };
  const ofRange = { ...shown, "content-length": "5", "content-range": "bytes 6-10/12" };
  const HEAD = "HEAD /v0/files/{file.id}/download";
  runScenarios(stage, {
    "HEAD of a large file": [
      large,
      step(HEAD, { receives: { "content-length": String(LARGE.length) }, empty: true }),
    ],
    "an empty file": [
      put("empty.txt", "", { keeps: "file" }),
      get({ receives: { "content-length": "0", "accept-ranges": "bytes" }, empty: true }),
    ],
  });
  runAfter(stage, [hello], {
    "of a whole file": get({ receives: shown, ...whole }),
    "of a range": ranged("bytes=6-10", { status: 206, receives: ofRange, contains: [/^World$/] }),
    "of HEAD, with the length and without a body": step(HEAD, { receives: shown, empty: true }),
    "HEAD ignores a range, which is defined for GET alone": step(HEAD, {
      headers: { range: "bytes=0-4" },
      receives: shown,
      empty: true,
    }),
    "HEAD of a file that is not there": step("HEAD /v0/files/01976f5e-5d7a-7000-8000-3c5d1a2b4e6f/download", {
      status: 404,
      empty: true,
    }),
    "no file": refuses("GET /v0/files/nonsense/download", "NOT_FOUND"),
    "a query that is none": get(invalid("inline"), "?inline=maybe"),
  });
});

describe("ranges of Hello World!", () => {
  // RFC 9110, section 14: what each header makes of twelve bytes; null is the whole content.
  const ranges: [header: string, content: string | null, contentRange?: string][] = [
    ["bytes=0-0", "H", "bytes 0-0/12"],
    ["bytes=0-4", "Hello", "bytes 0-4/12"],
    ["bytes=0-11", "Hello World!", "bytes 0-11/12"],
    ["bytes=11-11", "!", "bytes 11-11/12"],
    ["bytes=6-", "World!", "bytes 6-11/12"],
    ["bytes=0-", "Hello World!", "bytes 0-11/12"],
    ["bytes=-1", "!", "bytes 11-11/12"],
    ["bytes=-6", "World!", "bytes 6-11/12"],
    ["bytes=-12", "Hello World!", "bytes 0-11/12"],
    ["bytes=-99", "Hello World!", "bytes 0-11/12"],
    ["bytes=6-99", "World!", "bytes 6-11/12"],
    ["bytes=6-99999999999999999999999", "World!", "bytes 6-11/12"],
    ["BYTES=0-0", "H", "bytes 0-0/12"],
    ["bytes=0-0,2-3", null],
    ["bytes=0-0, -1", null],
    ["bytes=4-2", null],
    ["bytes=-", null],
    ["bytes=", null],
    ["bytes", null],
    ["bytes=a-b", null],
    ["bytes=1", null],
    ["bytes=--1", null],
    ["bytes=0x0-1", null],
    ["bytes=1.5-2", null],
    ["items=0-1", null],
  ];
  const unsatisfied = refused("RANGE_NOT_SATISFIABLE");
  runScenarios(stage, {
    "bytes=0- of an empty file cannot be satisfied": [
      put("empty", "", { keeps: "file" }),
      ranged("bytes=0-", { ...unsatisfied, receives: { "content-range": "bytes */0" } }),
    ],
  });
  runEach(stage, ranges, ([range, found, contentRange = null]) => {
    const content = found ?? "Hello World!";
    const receives = { "content-range": contentRange, "content-length": String(content.length) };
    const status = found === null ? 200 : 206;
    const name = `${range} is ${found === null ? "ignored" : `"${found}"`}`;
    return [name, hello, ranged(range, { status, contains: [exactly(content)], receives })];
  });
  runEach(stage, ["bytes=12-", "bytes=12-20", "bytes=99999999999999999999-", "bytes=-0"], (range) => {
    const receives = { "content-range": "bytes */12", "content-disposition": null };
    return [`${range} cannot be satisfied`, hello, ranged(range, { ...unsatisfied, receives })];
  });
});

describe("conditions", () => {
  const other = `"${"0".repeat(64)}"`;
  const modified = "Tue, 01 Jan 2030 00:00:00 GMT";
  const before = "Mon, 31 Dec 2029 23:59:59 GMT";
  const after = "Tue, 01 Jan 2030 00:00:01 GMT";
  const cases: [headers: Record<string, string>, status: 200 | 206 | 304 | 412 | 416][] = [
    [{ "if-none-match": ETAG }, 304],
    [{ "if-none-match": `W/${ETAG}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": `${other}, ${ETAG}` }, 304],
    [{ "if-none-match": other }, 200],
    [{ "if-none-match": HELLO_DIGEST }, 200],
    [{ "if-none-match": ETAG, range: "bytes=0-1" }, 304],
    [{ "if-none-match": ETAG, range: "bytes=99-" }, 304],
    [{ "if-modified-since": modified }, 304],
    [{ "if-modified-since": after }, 304],
    [{ "if-modified-since": before }, 200],
    [{ "if-modified-since": "Tuesday, 01-Jan-30 00:00:00 GMT" }, 304],
    [{ "if-modified-since": "1" }, 200],
    [{ "if-modified-since": "nonsense" }, 200],
    [{ "if-none-match": other, "if-modified-since": after }, 200],
    [{ "if-match": ETAG }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": `${other}, ${ETAG}` }, 200],
    [{ "if-match": other }, 412],
    [{ "if-match": `W/${ETAG}` }, 412],
    [{ "if-match": other, "if-none-match": ETAG }, 412],
    [{ "if-match": ETAG, "if-none-match": ETAG }, 304],
    [{ "if-unmodified-since": modified }, 200],
    [{ "if-unmodified-since": before }, 412],
    [{ "if-match": ETAG, "if-unmodified-since": before }, 200],
    [{ range: "bytes=0-4", "if-range": ETAG }, 206],
    [{ range: "bytes=0-4", "if-range": `W/${ETAG}` }, 200],
    [{ range: "bytes=0-4", "if-range": other }, 200],
    [{ range: "bytes=0-4", "if-range": modified }, 206],
    [{ range: "bytes=0-4", "if-range": before }, 200],
    [{ range: "bytes=0-4", "if-range": after }, 200],
    [{ range: "bytes=0-4", "if-range": "nonsense" }, 200],
    [{ range: "bytes=99-", "if-range": other }, 200],
    [{ range: "bytes=99-", "if-range": ETAG }, 416],
    [{ "if-range": other }, 200],
    [{ range: "bytes=0-4", "if-match": ETAG }, 206],
    [{ range: "bytes=0-4", "if-match": other }, 412],
  ];
  const bodies = { 200: /^Hello World!$/, 206: /^Hello$/, 304: /^$/, 412: /PRECONDITION/, 416: /RANGE_NOT/ };
  runEach(stage, cases, ([headers, status]) => {
    const receives = status >= 400 ? {} : { etag: ETAG, "last-modified": modified };
    const name = `${JSON.stringify(headers).replaceAll(HELLO_DIGEST, "etag")}: ${status}`;
    return [name, hello, get({ headers, status, contains: [bodies[status]], receives })];
  });
});

describe("inline", () => {
  const types: [type: string, inline: boolean, shown?: string][] = [
    ["text/plain", true, "text/plain; charset=utf-8"],
    ["text/markdown", true, "text/markdown; charset=utf-8"],
    ["text/plain; charset=iso-8859-1", true],
    ["application/json", true, "application/json; charset=utf-8"],
    ["image/png", true],
    ["image/jpeg", true],
    ["audio/mpeg", true],
    ["video/mp4", true],
    ["text/html", false],
    ["TEXT/HTML", false, "text/html"],
    ["application/xhtml+xml", false],
    ["image/svg+xml", false],
    ["text/xml", false],
    ["application/xml", false],
    ["text/javascript", false],
    ["application/javascript", false],
    ["text/css", false],
    ["multipart/x-mixed-replace", false],
    ["application/octet-stream", false],
    ["application/x-shockwave-flash", false],
    ["message/rfc822", false],
  ];
  const saved = { "content-disposition": /^attachment; / };
  runEach(stage, types, ([type, inline, shown = type]) => {
    const receives = {
      "content-type": shown,
      ...(inline ? { "content-disposition": /^inline; / } : saved),
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox; default-src 'none'",
    };
    return [
      `${type} is ${inline ? "shown" : "saved all the same"}`,
      post({ content_type: type }, { keeps: "file" }),
      get({ ...whole, receives }, "?inline=1"),
    ];
  });
  runEach(stage, types, ([type]) => [
    `${type} is saved where nobody asked otherwise`,
    post({ content_type: type }, { keeps: "file" }),
    get({ ...whole, receives: saved }, "?inline=0"),
  ]);
});

describe("hostile names", () => {
  // The quoted fallback and the name itself as RFC 8187, section 3.2.1, encodes it.
  const names: [filename: string, fallback: string, encoded: string][] = [
    ["plain.txt", "plain.txt", "plain.txt"],
    ["two words.txt", "two words.txt", "two%20words.txt"],
    ['quo"te.txt', "quo_te.txt", "quo%22te.txt"],
    ["back\\slash.txt", "back_slash.txt", "back%5Cslash.txt"],
    ["semi;colon=x.txt", "semi;colon=x.txt", "semi%3Bcolon%3Dx.txt"],
    ["per%41cent.txt", "per_41cent.txt", "per%2541cent.txt"],
    ["it's (1)*.txt", "it's (1)*.txt", "it%27s%20%281%29%2A.txt"],
    ["r\u00e9sum\u00e9.txt", "r_sum_.txt", "r%C3%A9sum%C3%A9.txt"],
    ["\u{1F600}.txt", "_.txt", "%F0%9F%98%80.txt"],
    ["\u8CC7\u6599.txt", "__.txt", "%E8%B3%87%E6%96%99.txt"],
    ["\u202Etxt.exe", "_txt.exe", "%E2%80%AEtxt.exe"],
    ["\u2028.txt", "_.txt", "%E2%80%A8.txt"],
    ['"; filename="evil.exe', "_; filename=_evil.exe", "%22%3B%20filename%3D%22evil.exe"],
  ];
  runEach(stage, names, ([filename, fallback, encoded]) => {
    const disposition = `attachment; filename="${fallback}"; filename*=UTF-8''${encoded}`;
    const given = [post({ filename, path: "f" }, { keeps: "file" })];
    return [filename, ...given, get({ receives: { "content-disposition": disposition }, ...whole })];
  });
});

describe("1 MiB", () => {
  let path = "";
  beforeAll(async () => {
    const { clients, drives } = stage.world;
    const { id } = await clients.agent.put(drives.agent, "large.bin", LARGE);
    path = `/v0/files/${id}/download`;
  });

  async function bytesOf(headers: Record<string, string>) {
    const response = await stage.world.clients.agent.fetch("GET", path, { headers });
    return { response, bytes: await response.bytes() };
  }

  test("whole, with its length", async () => {
    const { response, bytes } = await bytesOf({});
    const { status, headers } = response;
    expect([status, headers.get("content-length")]).toEqual([200, String(LARGE.length)]);
    expect(headers.get("transfer-encoding")).toBeNull();
    expect(Buffer.compare(bytes, LARGE)).toBe(0);
    expectCommonRules("GET", { status, headers, text: "" });
  });

  test.each([
    ["bytes=0-0", 0, 1],
    ["bytes=100-", 100, LARGE.length],
    ["bytes=-70000", LARGE.length - 70_000, LARGE.length],
    ["bytes=65535-262144", 65_535, 262_145],
  ])("%s, with its length", async (range, start, end) => {
    const { response, bytes } = await bytesOf({ range });
    const { status, headers } = response;
    expect([status, headers.get("content-length")]).toEqual([206, String(end - start)]);
    expect(headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${LARGE.length}`);
    expect(Buffer.compare(bytes, LARGE.subarray(start, end))).toBe(0);
  });

  test("sixteen at once", async () => {
    const all = await Promise.all(Array.from({ length: 16 }, () => bytesOf({})));
    for (const { bytes } of all) expect(Buffer.compare(bytes, LARGE)).toBe(0);
  });
});

/** Asks for a path, and stops reading once the answer's head has come, until the `rest` is wanted. */
async function startReading(client: Client, path: string) {
  const socket = rawGet(client, path, { connection: "close" });
  const pieces: Buffer[] = [];
  const begun = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<void>();
  socket.on("data", (piece) => {
    pieces.push(Buffer.from(piece));
    const end = pieces.length > 10 ? -1 : Buffer.concat(pieces).indexOf("\r\n\r\n");
    if (end === -1) return;
    socket.pause();
    begun.resolve(end + 4);
  });
  socket.on("close", () => ended.resolve());
  const bodyAt = await begun.promise;
  socket.removeAllListeners("data");
  socket.on("data", (piece) => void pieces.push(Buffer.from(piece)));
  socket.pause();
  return {
    head: Buffer.concat(pieces).toString("latin1", 0, bodyAt),
    rest: async () => {
      socket.resume();
      await ended.promise;
      return Buffer.concat(pieces).subarray(bodyAt);
    },
  };
}

describe("a reader who takes their time", () => {
  /** More than the buffers between the server and a reader who does not read can hold. */
  const HUGE = 32 * 1024 * 1024;

  test("gets the whole content, also when it is deleted and swept in between", async () => {
    const own = await stage.ownDrive();
    const content = new Uint8Array(HUGE);
    for (let at = 0; at < HUGE; at += 4096) content[at] = (at >> 12) & 255;
    const { id } = await own.client.put(own.id, "huge.bin", content);
    const slow = await startReading(own.client, `/v0/files/${id}/download`);
    expect(slow.head).toStartWith("HTTP/1.1 200 ");
    expect(slow.head.toLowerCase()).toContain(`content-length: ${HUGE}`);

    await own.client.delete(`/v0/files/${id}`);
    await sweepContents(stage.coffer);
    const digest = Bun.SHA256.hash(content, "hex");
    expect((await stage.onDisk()).blobs).not.toContain(digest);
    expect((await own.client.send("GET", `/v0/files/${id}/download`)).status).toBe(404);

    const rest = await slow.rest();
    expect(rest.length).toBe(HUGE);
    expect(Bun.SHA256.hash(rest, "hex")).toBe(digest);
  });

  test("goes away: the server carries on", async () => {
    const own = await stage.ownDrive();
    const { id } = await own.client.put(own.id, "huge.bin", new Uint8Array(HUGE));
    const reader = (await own.client.fetch("GET", `/v0/files/${id}/download`)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect((await own.client.send("HEAD", `/v0/files/${id}/download`)).status).toBe(200);
    expect(stage.coffer.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
