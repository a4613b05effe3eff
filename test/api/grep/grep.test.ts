import { describe, expect, test } from "bun:test";
import { rm, truncate } from "node:fs/promises";
import { GREP, GREP_BOUNDS } from "../../../src/domain/limits.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Client } from "../../support/server/client.ts";
import type { OwnDrive } from "../../support/server/scenario.ts";
import {
  eventually,
  openStage,
  provision,
  runScenarios,
  startWithDrive,
} from "../../support/server/scenario.ts";
import { gives, refuses, type Step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { callerWith } from "../../support/server/services-drive.ts";
import { rawGet } from "../../support/peers/slow-reader.ts";
import { fileOf } from "../../support/samples/contents.ts";

const stage = openStage();

interface Page {
  data: { path: string; matches: { line_number: number; line: string }[] }[];
  is_partial: boolean;
  next_cursor: string | null;
}

function grep(client: Client, query: Record<string, string>): Promise<Page> {
  return client.get<Page>(`/v0/grep?${new URLSearchParams(query).toString()}`);
}

/** Paths and numbers of lines, on all pages. */
async function all(
  client: Client,
  query: Record<string, string>,
): Promise<{ lines: string[]; pages: number }> {
  const pages = await client.pages<Page>(`/v0/grep?${new URLSearchParams(query).toString()}`);
  for (const page of pages) expect(page.is_partial).toBe(page.next_cursor !== null);
  const lines = pages.flatMap(({ data }) =>
    data.flatMap(({ path, matches }) => matches.map(({ line_number }) => `${path}:${line_number}`)),
  );
  return { lines, pages: pages.length };
}

function upload({ client, id }: OwnDrive, path: string, body: string | Uint8Array<ArrayBuffer>) {
  return client.put<{ id: string; content_hash: string }>(id, path, body);
}

/** A search of `{drive}` must find exactly these lines, by path. */
function finds(query: string, lines: Readonly<Record<string, readonly (readonly [number, string])[]>>): Step {
  const data = Object.entries(lines).map(([path, those]) => ({
    path,
    matches: those.map(([line_number, line]) => ({ line_number, line })),
    has_more_matches: false,
  }));
  return gives(`GET /v0/grep?drive_id={drive}&${query}`, { data, is_partial: false, next_cursor: null });
}

/** A file with this content, of which these lines are found. */
function found(
  content: string | Uint8Array<ArrayBuffer>,
  query: string,
  ...lines: [number, string][]
): readonly Step[] {
  return [put("f.txt", content), finds(query, lines.length === 0 ? {} : { "f.txt": lines })];
}

function rejected(query: string, field: string, ...says: string[]): Step {
  return {
    ...refuses(`GET /v0/grep?drive_id={drive}&${query}`, "VALIDATION_ERROR", field),
    contains: [field, ...says],
  };
}

const TWO = "one\ntwo\nthree\n";
const WITHOUT = "without back references";
const LONG = "a".repeat(GREP.patternCharacters + 1);
const MANY = Array.from({ length: GREP.fileMatches }, () => ({ line: "x" }));

// Which lines match, of what encoding, and how long ones are shown, is in properties/grep.test.ts.

describe("a search of lines", () => {
  runScenarios(stage, {
    "passes over images, whatever is in them, but not over types that it does not know": [
      put("a.png", TWO),
      put("b.svg", TWO),
      put("c", TWO),
      put("d.unheard-of", TWO),
      finds("pattern=two", { "b.svg": [[2, "two"]], c: [[2, "two"]], "d.unheard-of": [[2, "two"]] }),
    ],
    "finds files in path order, below a prefix": [
      put("a/2.txt", TWO),
      put("b/1.txt", TWO),
      put("a/1.txt", TWO),
      finds("pattern=two&prefix=a/", { "a/1.txt": [[2, "two"]], "a/2.txt": [[2, "two"]] }),
    ],
    "returns the file's record": [
      put("f.txt", TWO, { keeps: "file" }),
      gives("GET /v0/grep?drive_id={drive}&pattern=two", {
        data: [{ id: "{file.id}", drive_id: "{drive}", content_hash: "{file.content_hash}", size: 14 }],
      }),
    ],
    "returns lines around a match, as far as there are any": [
      put("f.txt", "1\n2\nx\nx\n5\n"),
      gives("GET /v0/grep?drive_id={drive}&pattern=x&context=3", {
        data: [
          {
            matches: [
              { line_number: 3, before: ["1", "2"], after: ["x", "5"] },
              { line_number: 4, before: ["1", "2", "x"], after: ["5"] },
            ],
          },
        ],
      }),
    ],
    "returns at most so many matches of a file, and says that there are more": [
      put("f.txt", "x\n".repeat(GREP.fileMatches + 1)),
      put("g.txt", "x\n".repeat(GREP.fileMatches)),
      gives("GET /v0/grep?drive_id={drive}&pattern=x", {
        data: [true, false].map((more) => ({ matches: MANY, has_more_matches: more })),
        is_partial: true,
        next_cursor: null,
      }),
    ],
    "is for read-only keys as well": gives("agentReader GET /v0/grep?pattern=W.rld", {
      data: [{ id: "{files.agent}" }],
    }),

    "finds a word": found(TWO, "pattern=two", [2, "two"]),
    "finds nothing": found(TWO, "pattern=four"),
    "takes a regular expression": found(TWO, "pattern=%5Et%5Cw%2B", [2, "two"], [3, "three"]),
    "tells cases apart": found("Two\n", "pattern=two"),
    "ignores case on request": found("Two\n", "pattern=tWO&ignore_case=true", [1, "Two"]),
    "ignores case beyond ASCII": found("ÉTÉ\n", "pattern=%C3%A9t%C3%A9&ignore_case=1", [1, "ÉTÉ"]),
    "matches no line end": found(TWO, "pattern=one%5Cs*two"),
    "reads Latin-1": found(Uint8Array.from(Buffer.from("naïve\n", "latin1")), "pattern=na.ve", [1, "naïve"]),
    "passes over what is not text": found("two\0\n", "pattern=two"),
    "passes over an empty file": found("", "pattern=.*"),
    "needs a pattern": rejected("context=1", "pattern"),
    "needs a pattern that is not empty": rejected("pattern=", "pattern"),
    "refuses a long pattern": rejected(`pattern=${LONG}`, "pattern", "1000"),
    "says what is wrong with a pattern": rejected("pattern=a(b", "pattern", "missing closing )"),
    "says where it is wrong": rejected("pattern=ab[z-a]c", "pattern", "z-a"),
    "has no look-around": rejected("pattern=a(?=b)", "pattern", "(?=", `${WITHOUT} and look-around`),
    "has no back references": rejected("pattern=(a)%5C1", "pattern", WITHOUT),
    "refuses a pattern that repeats too much": rejected("pattern=(a{100}){100}", "pattern", "{100}"),
    "refuses too much context": rejected("pattern=a&context=11", "context"),
    "refuses another cursor": rejected("pattern=a&cursor=Zm9v", "cursor"),
    "refuses a file's cursor": rejected(
      `pattern=a&cursor=${Buffer.from("a\nb\nc").toString("base64url")}`,
      "cursor",
    ),
  });
});

test("an account searches all its drives, one after another, on as many pages as it likes", async () => {
  addAccount(stage.coffer, "grace");
  const client = await accountClient(stage.coffer, "grace");
  for (const name of ["One", "Two", "Three"]) {
    const drive = await client.makeDrive(name);
    for (const path of ["a.txt", "b.txt"]) await client.put(drive.id, path, "x\n");
  }
  const lines = [1, 2, 3].flatMap(() => ["a.txt:1", "b.txt:1"]);
  expect(await all(client, { pattern: "x" })).toEqual({ lines, pages: 1 });
  expect(await all(client, { pattern: "x", limit: "1" })).toEqual({ lines, pages: 6 });
  expect(await all(client, { pattern: "x", limit: "4" })).toEqual({ lines, pages: 2 });
});

/** A Coffer whose searches of lines end sooner. */
function bounded(bound: Partial<typeof GREP_BOUNDS>) {
  return startWithDrive({}, { grepBounds: { ...GREP_BOUNDS, time: 60_000, ...bound } });
}

describe("a search that reaches a bound goes on where it stopped", () => {
  const content = Array.from({ length: 60 }, (_, line) => (line % 3 === 0 ? `x ${line}` : "-")).join("\n");
  const numbers = Array.from({ length: 20 }, (_, n) => n * 3 + 1);
  const lines = ["a.txt", "b/c.txt"].flatMap((path) => numbers.map((number) => `${path}:${number}`));

  test.each([
    ["of time", { time: 0 }, 121],
    ["of bytes", { bytes: 1 }, 121],
    ["of matches", { matches: 7 }, 6],
    ["of characters", { characters: 50 }, 3],
  ])("%s", async (_, bound, pages) => {
    await using coffer = await bounded(bound);
    const { own } = coffer;
    // One is in the database, one is a file.
    await upload(own, "a.txt", content);
    await upload(own, "b/c.txt", `${content}\n${"-".repeat(20_000)}`);
    expect(await all(own.client, { pattern: "x" })).toEqual({ lines, pages });
  });

  test("unless its file has changed meanwhile: then that begins anew", async () => {
    await using coffer = await bounded({ matches: 2 });
    const { own } = coffer;
    await upload(own, "f.txt", "x1\nx2\nx3\n");
    await upload(own, "g.txt", "x\n");
    const first = await grep(own.client, { pattern: "x" });
    await own.client.put(own.id, "f.txt", "x4\n", 200);
    const second = await grep(own.client, { pattern: "x", cursor: first.next_cursor ?? "" });
    expect(second.data.map(({ matches }) => matches.map(({ line }) => line))).toEqual([["x4"], ["x"]]);
    expect(second.next_cursor).toBeNull();
  });
});

test("a pattern that is a trap for other engines takes no long time, and others are answered", async () => {
  const own = await provision(stage.coffer);
  const other = await provision(stage.coffer);
  await upload(own, "f.txt", Buffer.alloc(1024 * 1024, "a"));
  await upload(own, "g.txt", `${"a".repeat(100_000)}!`);
  const patterns = ["(a+)+$", "(a|a)*b", "(.*.*)*z"];
  const trapped = Promise.all(patterns.map((pattern) => grep(own.client, { pattern })));
  await upload(other, "h.txt", "h");
  const [first] = await trapped;
  expect(first?.data.map(({ path }) => path)).toEqual(["f.txt"]);
});

const text = (n: number) => `x${n}\n${"-\n".repeat(20_000)}`;

test("contents that are damaged are left out, said to be, and logged", async () => {
  const own = await provision(stage.coffer);
  for (const n of [1, 2, 3]) await upload(own, `${n}.txt`, text(n));
  const blobOf = (n: number) => fileOf(stage.coffer.dataDir, Bun.SHA256.hash(text(n), "hex"));
  await rm(blobOf(1));
  await truncate(blobOf(2), 100);
  const from = stage.coffer.lines.length;
  const page = await grep(own.client, { pattern: "x" });
  expect(page).toMatchObject({ data: [{ path: "3.txt" }], is_partial: true, next_cursor: null });
  const logged = stage.coffer.lines.slice(from).filter((line) => line.includes("could not be searched"));
  expect(logged).toHaveLength(2);
});

/** A drive with so many lines that a search of them lasts until it is stopped. */
async function endless(coffer: TestAppliance): Promise<OwnDrive> {
  const own = await provision(coffer);
  for (let n = 0; n < 4; n += 1) await upload(own, `${n}.txt`, Buffer.alloc(16 * 1024 * 1024, `a${n}\n`));
  return own;
}

describe("searches that take long", () => {
  const SLOW = "^(a?.)*[bc]$";

  test("are few at once for one owner, who does not keep others from theirs", async () => {
    await using coffer = await startAppliance();
    const own = await endless(coffer);
    const other = await provision(coffer);
    await upload(other, "f.txt", "x\n");
    const answered: string[] = [];
    const sockets = Array.from({ length: 5 }, () => request(own, SLOW));
    for (const socket of sockets) socket.on("data", (piece) => answered.push(String(piece)));
    await eventually(() => answered.length > 0);
    const full = "4 searches of lines of yours are under way already; wait until one is done.";
    for (const part of ["HTTP/1.1 429", full]) expect(answered[0]).toContain(part);
    expect((await grep(other.client, { pattern: "x" })).data).toHaveLength(1);
    // Two had to stop for it. Those that had waited for longer came after it.
    expect(answered.filter((each) => each.startsWith("HTTP/1.1 200")).length).toBeLessThanOrEqual(3);
    for (const socket of sockets) socket.destroy();
  });

  test("stop once nobody waits for them", async () => {
    const own = await provision(stage.coffer);
    for (const path of ["1.txt", "2.txt"]) await upload(own, path, "a\n".repeat(100_000));
    const { grep: service, apiKeys } = stage.coffer.appliance.services;
    const caller = callerWith({ apiKeys }, own.key);
    const anywhere = { drive: null, prefix: null, glob: null, from: null };
    const query = { ...anywhere, pattern: "b$", ignoreCase: false, context: 0, limit: 1 };
    const leaving = new AbortController();
    const search = service.find(caller, query, { client: "x", signal: leaving.signal });
    leaving.abort();
    expect(await search).toMatchObject({ files: [], isPartial: true, next: { path: "1.txt" } });
  });

  test("are ended with their thread if one line takes too long, and the next has another", async () => {
    await using coffer = await bounded({ time: 0, grace: 300, blockBytes: 64 * 1024 * 1024 });
    const { own } = coffer;
    const content = Buffer.alloc(16 * 1024 * 1024, "a");
    content.write("z", content.length - 1);
    await upload(own, "f.txt", content);
    // Finding where a match begins is what takes long.
    const pattern = encodeURIComponent("(?i)(\\pL|\\pN|\\pS){200}z");
    for (let n = 0; n < 3; n += 1) {
      const answer = await own.client.send("GET", `/v0/grep?pattern=${pattern}`);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain("pattern takes too long to search for; make it simpler");
    }
    await upload(own, "g.txt", "b");
    // A new thread may need longer than that to start.
    const path = "/v0/grep?pattern=b&prefix=g";
    await eventually(async () => (await own.client.status("GET", path)) === 200);
  });

  test("end when the server is closed", async () => {
    const coffer = await startAppliance();
    const own = await endless(coffer);
    const socket = request(own, SLOW);
    const closed = new Promise((resolve) => socket.on("close", resolve));
    await coffer[Symbol.asyncDispose]();
    await closed;
  });
});

/** Sends a search, and reads nothing. */
function request({ client }: OwnDrive, pattern: string) {
  return rawGet(client, `/v0/grep?pattern=${encodeURIComponent(pattern)}`);
}
