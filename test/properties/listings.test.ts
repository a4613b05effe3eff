import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { parseFilename, parseFilePath, parsePrefix } from "../../src/domain/files/path.ts";
import { parseTags } from "../../src/domain/files/file.ts";
import { requiredOf } from "../../src/domain/search/common-words.ts";
import { parseQuery } from "../../src/domain/search/query.ts";
import { stemOf } from "../../src/domain/search/stems.ts";
import type { FoundFilesPage } from "../../src/http/records/record-schemas.ts";
import { startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { anyOf, anyText, forAllAsync, unlessRefused } from "../support/models/properties.ts";
import type { Json } from "../support/server/client.ts";
import { type OwnDrive, provision } from "../support/server/scenario.ts";

let coffer: TestAppliance;

beforeAll(async () => {
  coffer = await startAppliance();
});
afterAll(() => coffer[Symbol.asyncDispose]());

const NAME = parseFilename("filename", "name.txt");

function pathOf(text: string): string | null {
  return unlessRefused(() => parseFilePath("path", text, NAME));
}

interface Listed {
  readonly data: readonly { readonly id: string; readonly path: string }[];
  readonly total: number;
}

/** Uploads what can be uploaded. Returns the paths that are files now, with their tags. */
async function filled(own: OwnDrive, files: readonly (readonly [string, readonly string[]])[]) {
  const stored = new Map<string, readonly string[]>();
  for (const [path, tags] of files) {
    const body = { drive_id: own.id, path, content: "", tags: [...tags] };
    const { status } = await own.client.send("POST", "/v0/files", { body });
    // A folder stands there, or a file stands where a folder is needed.
    if (status === 409) continue;
    expect([200, 201]).toContain(status);
    stored.set(path, tags);
  }
  return stored;
}

async function list(
  own: OwnDrive,
  address: string,
  query: readonly (readonly [string, string])[],
): Promise<Listed> {
  const text = new URLSearchParams({ drive_id: own.id, limit: "1000" });
  for (const [name, value] of query) text.append(name, value);
  return own.client.get<Listed>(`${address}?${text.toString()}`);
}

function inBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const path = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
      fc.constantFrom("a", "b", "é", "\ud7ff", "\ue000", "\u{10ffff}", "%", "_"),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((segments) => pathOf(segments.join("/")))
  .filter((text) => text !== null);
const tag = anyText(8).map((text) => unlessRefused(() => parseTags("tags", [text])) ?? ["red"]);

test("a prefix and tags select exactly the files that have them, in order", async () => {
  const files = fc.array(fc.tuple(path, tag), { minLength: 1, maxLength: 8 });
  const prefix = fc.oneof(
    path,
    anyText(4).filter((text) => unlessRefused(() => parsePrefix("prefix", text)) !== null),
  );
  await forAllAsync(0.3, files, prefix, fc.nat(7), async (given, other, chosen) => {
    const own = await provision(coffer);
    const stored = await filled(own, given);
    const [known = ""] = given[chosen] ?? [];
    for (const text of ["", other, known.slice(0, 1 + (chosen % 3)).toWellFormed()]) {
      const wanted = parsePrefix("prefix", text);
      const expected = [...stored.keys()].filter((each) => each.startsWith(wanted)).toSorted(inBytes);
      const { data, total } = await list(own, "/v0/files", [["prefix", text]]);
      expect([text, total, data.map((file) => file.path)]).toEqual([text, expected.length, expected]);
    }
    const [label = ""] = given[chosen % given.length]?.[1] ?? [];
    const tagged = [...stored].filter(([, tags]) => tags.includes(label)).map(([each]) => each);
    // A single tag would be split at its commas.
    const found = await list(own, "/v0/files", [
      ["tags", label],
      ["tags", ""],
    ]);
    expect([label, found.data.map((file) => file.path)]).toEqual([label, tagged.toSorted(inBytes)]);
  });
});

test("a list shows each record as it is alone, whatever is in it", async () => {
  const year = 365 * 24 * 3_600_000;
  const file = fc.record({
    filename: anyText(20).filter((text) => pathOf(text) === text && !text.includes("/")),
    content: fc.oneof(anyText(600), fc.constant("\u0000\u0001\u001b\u007f\b\f\u2028\ud83d\ude00".repeat(70))),
    mime_type: fc.constantFrom(
      'text/plain;a="b\\\\c"',
      "application/ld+json",
      "image/svg+xml",
      "image/png",
      null,
    ),
    metadata: fc.constantFrom<Json>({}, { 'a"\\': [1, 1e21, -0.1, null, true, { é: "\u2028\0" }] }),
    tags: tag,
    expires: fc.option(fc.integer({ min: 1, max: 7900 * year })),
  });
  await forAllAsync(0.3, fc.array(file, { minLength: 1, maxLength: 4 }), async (given) => {
    const own = await provision(coffer);
    const ids: string[] = [];
    for (const [at, { content, expires, ...each }] of given.entries()) {
      const { id } = await own.client.post<{ id: string }>("/v0/files", {
        ...each,
        drive_id: own.id,
        path: `${at}/`,
        content: Buffer.from(content).toString("base64"),
        expires_at: expires === null ? null : new Date(coffer.clock.now() + expires).toISOString(),
      });
      ids.push(id);
    }
    const compare = async () => {
      const { data } = await list(own, "/v0/files", []);
      const alone = ids.map((id) => own.client.get<Listed["data"][0]>(`/v0/files/${id}`));
      expect(data.toSorted((one, other) => (one.id < other.id ? -1 : 1))).toEqual(await Promise.all(alone));
    };
    await compare();
    for (const [at, id] of ids.entries())
      await own.client.patch(`/v0/files/${id}`, { filename: `new${at}.md`, tags: ["new"] });
    await compare();
    for (const [at, id] of ids.entries()) {
      const { trash_id: trash } = await own.client.delete<{ trash_id: string }>(`/v0/files/${id}`);
      await own.client.json(200, "POST", `/v0/trash/${trash}/restore`, { body: { path: `${at}.md` } });
    }
    await compare();
  });
});

test("a file is found by its own name, whatever is in it", async () => {
  const name = anyText(20).filter((text) => pathOf(text) === text && !text.includes("/"));
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 6 });
  await forAllAsync(0.3, names, async (given) => {
    const own = await provision(coffer);
    const stored = await filled(
      own,
      given.map((each) => [each, []]),
    );
    for (const each of stored.keys()) {
      const terms = unlessRefused(() => parseQuery("q", each));
      if (terms === null || terms.length === 0) continue;
      const { data } = await list(own, "/v0/search", [["q", each]]);
      expect([each, data.map((file) => file.path)]).toEqual([each, expect.arrayContaining([each])]);
    }
  });
});

test("a query of any kind is searched for or refused, and finds only what has its words", async () => {
  const own = await provision(coffer);
  const body = "SGVsbG8gV29ybGQh";
  await own.client.post("/v0/files", { drive_id: own.id, filename: "a.txt", content: body, tags: ["hello"] });
  const syntax = fc.oneof(
    anyOf("\"*^():+-{}';\0"),
    fc.constantFrom(" OR ", " AND ", " NOT ", "NEAR(", "hello", "text", "name"),
  );
  const query = fc.oneof(anyText(80), fc.string({ unit: syntax, maxLength: 12 }));
  await forAllAsync(2, query, async (text) => {
    const search = new URLSearchParams({ drive_id: own.id, q: text.toWellFormed() });
    const answer = await own.client.send("GET", `/v0/search?${search.toString()}`);
    // Without any words a filter must be given.
    const terms = unlessRefused(() => parseQuery("q", text.toWellFormed())) ?? [];
    if (terms.length > 0) expect([text, answer.status]).toEqual([text, 200]);
    else expect([200, 400]).toContain(answer.status);
    if (answer.status === 400) return;
    const { data, is_relaxed: isRelaxed }: FoundFilesPage = JSON.parse(answer.text);
    const required = requiredOf(terms);
    const matching = required.filter(
      ({ needle, words, inflected }) =>
        "_a_txt_ _hello_ _hello_world_".includes(needle) ||
        words.every((word) => "hello world".includes(word)) ||
        (inflected !== null && ["a", "txt", "hello", "world"].includes(stemOf(inflected, null))),
    );
    const least = isRelaxed ? Math.min(1, required.length) : required.length;
    if (data.length > 0) expect([text, matching.length >= least]).toEqual([text, true]);
  });
});
