import { describe, expect, test } from "bun:test";
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
import { SlowReader } from "../../support/peers/slow-reader.ts";
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
  // What each header makes of twelve bytes, null being the whole content; test/properties/headers.test.ts has all others.
  const ranges: [header: string, content: string | null, contentRange?: string][] = [
    ["bytes=0-0", "H", "bytes 0-0/12"],
    ["bytes=-6", "World!", "bytes 6-11/12"],
    ["bytes=6-99999999999999999999999", "World!", "bytes 6-11/12"],
    ["BYTES=0-0", "H", "bytes 0-0/12"],
    ["bytes=4-2", null],
  ];
  const others = ["0-0,2-3", "0-0, -1", "", "a-b", "1", "--1", "0x0-1", "1.5-2"].map(
    (each) => `bytes=${each}`,
  );
  const ignored = [...others, "bytes", "items=0-1"].map((header): [string, null] => [header, null]);
  const unsatisfied = refused("RANGE_NOT_SATISFIABLE");
  runScenarios(stage, {
    "bytes=0- of an empty file cannot be satisfied": [
      put("empty", "", { keeps: "file" }),
      ranged("bytes=0-", { ...unsatisfied, receives: { "content-range": "bytes */0" } }),
    ],
  });
  runEach(stage, [...ranges, ...ignored], ([range, found, contentRange = null]) => {
    const content = found ?? "Hello World!";
    const receives = { "content-range": contentRange, "content-length": String(content.length) };
    const status = found === null ? 200 : 206;
    const name = `${range} is ${found === null ? "ignored" : `"${found}"`}`;
    return [name, hello, ranged(range, { status, contains: [exactly(content)], receives })];
  });
  runEach(stage, ["bytes=12-", "bytes=99999999999999999999-", "bytes=-0"], (range) => {
    const receives = { "content-range": "bytes */12", "content-disposition": null };
    return [`${range} cannot be satisfied`, hello, ranged(range, { ...unsatisfied, receives })];
  });
});

// Which conditions hold is tried with all in test/properties/headers.test.ts.
describe("conditions", () => {
  const other = `"${"0".repeat(64)}"`;
  const modified = "Tue, 01 Jan 2030 00:00:00 GMT";
  const cases: [headers: Record<string, string>, status: 200 | 206 | 304 | 412 | 416][] = [
    [{ "if-none-match": ETAG }, 304],
    [{ "if-none-match": HELLO_DIGEST }, 200],
    [{ "if-none-match": ETAG, range: "bytes=0-1" }, 304],
    [{ "if-none-match": ETAG, range: "bytes=99-" }, 304],
    [{ "if-modified-since": modified }, 304],
    [{ "if-match": ETAG }, 200],
    [{ "if-match": other }, 412],
    [{ "if-unmodified-since": "Mon, 31 Dec 2029 23:59:59 GMT" }, 412],
    [{ range: "bytes=0-4", "if-range": ETAG }, 206],
    [{ range: "bytes=0-4", "if-range": other }, 200],
    [{ range: "bytes=0-4", "if-range": modified }, 206],
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
  const [text, json] = ["text/plain", "application/json"];
  const media = ["image/png", "image/jpeg", "audio/mpeg", "video/mp4", "text/plain; charset=iso-8859-1"];
  const markup = ["text/html", "text/xml", "application/xml", "application/xhtml+xml", "image/svg+xml"];
  const code = ["text/javascript", "application/javascript", "text/css", "application/x-shockwave-flash"];
  const others = ["multipart/x-mixed-replace", "application/octet-stream", "message/rfc822"];
  const types: [type: string, inline: boolean, shown?: string][] = [
    ...[text, json, "text/markdown"].map((type): [string, true, string] => [
      type,
      true,
      `${type}; charset=utf-8`,
    ]),
    ...media.map((type): [string, true] => [type, true]),
    ["TEXT/HTML", false, "text/html"],
    ...[...markup, ...code, ...others].map((type): [string, false] => [type, false]),
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
      `${type} is ${inline ? "shown" : "saved all the same"}, and saved where nobody asked otherwise`,
      post({ content_type: type }, { keeps: "file" }),
      get({ ...whole, receives }, "?inline=1"),
      get({ ...whole, receives: saved }, "?inline=0"),
    ];
  });
});

runScenarios(stage, {
  "a hostile name arrives in both forms of RFC 6266, section 4.3": [
    post({ filename: '"; filename="\u00e9vil.exe' }, { keeps: "file" }),
    get({
      ...whole,
      receives: {
        "content-disposition": `attachment; filename="_; filename=__vil.exe"; filename*=UTF-8''%22%3B%20filename%3D%22%C3%A9vil.exe`,
      },
    }),
  ],
});

test.each([
  [null, 0, LARGE.length],
  ["bytes=0-0", 0, 1],
  ["bytes=100-", 100, LARGE.length],
  ["bytes=-70000", LARGE.length - 70_000, LARGE.length],
  ["bytes=65535-262144", 65_535, 262_145],
])("1 MiB by the range %s, with its length", async (range, start, end) => {
  const { id: drive, client } = await stage.ownDrive();
  const { id } = await client.put(drive, "large.bin", LARGE);
  const asked = range === null ? {} : { headers: { range } };
  const response = await client.fetch("GET", `/v0/files/${id}/download`, asked);
  const { status, headers } = response;
  expectCommonRules("GET", { status, headers, text: "" });
  const told = ["content-length", "content-range", "transfer-encoding"].map((name) => headers.get(name));
  const part = range === null ? null : `bytes ${start}-${end - 1}/${LARGE.length}`;
  expect([status, ...told]).toEqual([part === null ? 200 : 206, String(end - start), part, null]);
  expect(Buffer.compare(await response.bytes(), LARGE.subarray(start, end))).toBe(0);
});

describe("a reader who takes their time", () => {
  /** More than the buffers between the server and a reader who does not read can hold. */
  const HUGE = 32 * 1024 * 1024;

  test("gets the whole content, also when it is deleted and swept in between", async () => {
    const own = await stage.ownDrive();
    const content = new Uint8Array(HUGE);
    for (let at = 0; at < HUGE; at += 4096) content[at] = (at >> 12) & 255;
    const { id } = await own.client.put(own.id, "huge.bin", content);
    await using slow = await SlowReader.of(own, {}, `/v0/files/${id}/download`);
    await own.client.delete(`/v0/files/${id}`);
    await sweepContents(stage.coffer);
    const digest = Bun.SHA256.hash(content, "hex");
    expect((await stage.onDisk()).blobs).not.toContain(digest);
    expect((await own.client.send("GET", `/v0/files/${id}/download`)).status).toBe(404);

    const { head, body } = await slow.answer();
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 200 [^]*\r\ncontent-length: ${HUGE}\r\n`, "i"));
    expect([body.length, Bun.SHA256.hash(body, "hex")]).toEqual([HUGE, digest]);
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
