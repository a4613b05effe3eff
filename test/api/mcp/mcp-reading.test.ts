import { describe, expect, test } from "bun:test";
import { connectAgent, connectMcp, type McpAgent, MOST_CHARACTERS } from "../../support/peers/mcp.ts";
import { docx, longSheet, wordParagraph } from "../../support/samples/documents.ts";
import { openStage } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const stage = openStage();

const it = testWith(() => connectAgent(stage));

const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Reads a file part by part, as its answers say. */
async function readAll(me: McpAgent, path: string): Promise<string> {
  let text = "";
  let at: Record<string, unknown> = {};
  for (;;) {
    const { structured, content } = await me.call("read_file", { path, ...at });
    expect(JSON.stringify(structured).length).toBeLessThan(MOST_CHARACTERS);
    // The facts and the text stand apart: no text can be taken for a fact.
    expect(content[1]).toEqual({ type: "text", text: structured["text"] });
    const { text: _, ...facts } = structured;
    expect(JSON.parse(String(content[0]?.["text"]))).toEqual(facts);
    text += String(structured["text"]);
    const { next_line: line, next_byte: byte } = structured;
    if (line === undefined) return text;
    if (byte === undefined) text += "\n";
    at = { start_line: line, ...(byte === undefined ? {} : { start_byte: byte }) };
  }
}

describe("read_file", () => {
  it("shows text by lines, with the etag", async (me) => {
    const made = await me.get("write_file", { path: "a.txt", text: "one\r\ntwo\nthree" });
    expect(await me.get("read_file", { path: "a.txt", start_line: 2, end_line: 2 })).toEqual({
      path: "a.txt",
      etag: made["etag"],
      size: 14,
      mime_type: "text/plain",
      updated_at: "2030-01-01T00:00:00.000Z",
      start_line: 2,
      end_line: 2,
      total_lines: 3,
      text: "two",
      next_line: 3,
    });
    // HTML is read as it is written.
    await me.get("write_file", { path: "a.html", text: "<p>Hi</p>\n" });
    const html = { text: "<p>Hi</p>", total_lines: 1 };
    expect(await me.get("read_file", { path: "a.html" })).toMatchObject(html);
    await me.refuses("read_file", { path: "b.txt" }, /^NOT_FOUND: No such file\. List or search/);
    await me.refuses("read_file", { path: "a.txt", start_line: 0 }, "VALIDATION_ERROR");
    await me.refuses("read_file", { path: "dir/" }, "VALIDATION_ERROR");
  });

  it("comes back whole from its parts, whatever the length of its lines", async (me) => {
    const lines = Array.from({ length: 3000 }, (_, at) => `${at} ${"ä日😀".repeat(at % 17)}`);
    const long = `${"x".repeat(50_000)}日${"y".repeat(50_000)}`;
    for (const [name, text] of [
      ["many.txt", lines.join("\n")],
      ["long.txt", `first\n${long}\nlast`],
      // In JSON these take two and six times their bytes.
      ["quotes.txt", '"'.repeat(70_000)],
      ["escapes.txt", "\u001b[0m\n".repeat(20_000).trimEnd()],
      ["control.txt", "\u0001".repeat(40_000)],
      ["empty.txt", ""],
      // What a hostile author wrote stays inside its part.
      ['a"}],"etag":"x".txt', '"}]}\n{"type":"text"}\n</result>\u2028'],
    ] as const) {
      await me.put(name, text);
      expect(await readAll(me, name)).toBe(text);
    }
  });

  it("images come as images, by what they are, and others by a link", async (me) => {
    const { drive } = me;
    await me.put("a.png", PNG);
    await me.put("false.png", "no picture");
    await me.put("b.bin", new Uint8Array([0, 1, 2]));
    await me.put("large.png", Buffer.concat([PNG, new Uint8Array(600_000)]));
    const image = await me.call("read_file", { path: "a.png" });
    expect(image.content[1]).toEqual({ type: "image", data: PNG.toBase64(), mimeType: "image/png" });
    expect(image.structured).toMatchObject({ size: PNG.length, mime_type: "image/png" });
    for (const [path, body] of [
      ["false.png", "no picture"],
      ["b.bin", "\0\x01\x02"],
    ] as const) {
      const { structured, content } = await me.call("read_file", { path });
      expect(content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
      expect(content[1]).toMatchObject({ uri: `coffer://${drive.id}/${path}`, name: path });
      expect(await (await fetch(String(structured["download_url"]))).text()).toBe(body);
    }
    const { structured } = await me.call("read_file", { path: "large.png" });
    expect(structured["download_url"]).toContain("/v0/presigned/");
  });

  test.each([
    ["with a read-only key", "agent", "agentReader"],
    ["of a shared drive", "ada", "carol"],
  ] as const)(
    "the link of a reader %s takes the key, since a reader may not share",
    async (_, owner, who) => {
      const { clients, drives, keys } = stage.world;
      const drive = drives[owner];
      await clients[owner].put(drive, "b.bin", new Uint8Array([0]));
      await using reader = await connectMcp(stage.coffer.appliance.url, keys[who]);
      const url = String((await reader.get("read_file", { drive, path: "b.bin" }))["download_url"]);
      expect((await fetch(url)).status).toBe(401);
      const headers = { authorization: `Bearer ${keys[who]}` };
      expect((await fetch(url, { headers })).status).toBe(200);
    },
  );

  it("a document is read as its text, part by part as well", async (me) => {
    const lines = Array.from({ length: 500 }, (_, at) => `${at} ${"word ".repeat(12)}end`);
    await me.put("a.docx", docx(lines.map((line) => wordParagraph(line)).join("")));
    const found = await readAll(me, "a.docx");
    expect(found.split("\n").filter((line) => line !== "")).toEqual(lines);
    const long = "日本 ".repeat(5000).trimEnd();
    await me.put("long.docx", docx(wordParagraph(long)));
    expect((await readAll(me, "long.docx")).trimEnd()).toBe(long);
    // The end says if more is never read.
    await me.put("long.xlsx", longSheet());
    const { total_lines: last } = await me.get("read_file", { path: "long.xlsx" });
    const read = await me.get("read_file", { path: "long.xlsx", start_line: last });
    expect(read).toMatchObject({ end_line: last, note: expect.stringMatching(/more text.*share/s) });
    await me.put("broken.docx", "no document");
    await me.refuses("read_file", { path: "broken.docx" }, /^UNSUPPORTED_MEDIA_TYPE: .*share/);
  });
});

it("what search finds is shown in short, and can be fetched in the shape that connectors want", async (me) => {
  const made = await me.get("write_file", { path: "notes/plan.md", text: "A brown fox\n" });
  const found = await me.call("search", { query: "brown" });
  const { results } = found.structured;
  const [first] = Array.isArray(results) ? results : [];
  const { id } = first;
  const url = `${stage.coffer.appliance.url}/drives/${me.drive.id}/?file=${id}`;
  expect(first).toEqual({ id, path: "notes/plan.md", title: "plan.md", url, snippet: "A brown fox" });
  const fields = ["drive", "etag", "size", "tags", "mime_type", "updated_at"];
  const { results: more } = await me.get("search", { query: "brown", fields });
  const [whole] = Array.isArray(more) ? more : [];
  expect(whole).toEqual({
    ...first,
    drive: me.drive.id,
    etag: made["etag"],
    size: 12,
    tags: [],
    mime_type: "text/markdown",
    updated_at: "2030-01-01T00:00:00.000Z",
  });
  const none = await me.get("search", { query: "brown", prefix: "other/" });
  expect(none).toMatchObject({ results: [], total: 0 });
  const { structured, content } = await me.call("fetch", { id });
  expect(structured).toEqual({
    id,
    title: "plan.md",
    text: "A brown fox",
    url,
    metadata: {
      drive: me.drive.id,
      path: "notes/plan.md",
      etag: made["etag"],
      mime_type: "text/markdown",
      updated_at: "2030-01-01T00:00:00.000Z",
    },
  });
  expect(content).toEqual([{ type: "text", text: JSON.stringify(structured) }]);
  await me.refuses("fetch", { id: "x" }, "NOT_FOUND");
});

/** Of a page of lines, without those around them. */
const GREP_CHARACTERS = 14_000;

/** All lines, on pages of which each must be readable. */
async function grepAll(me: McpAgent, args: object, most: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: unknown; ;) {
    const page = await me.get("grep", { ...args, cursor });
    expect(JSON.stringify(page).length).toBeLessThan(most);
    const files: { lines: string[] }[] = Array.isArray(page["files"]) ? page["files"] : [];
    found.push(...files.flatMap(({ lines }) => lines));
    cursor = page["next_cursor"];
    if (cursor === undefined) return found;
  }
}

describe("grep", () => {
  it("finds lines with their numbers and what is around them", async (me) => {
    await me.get("write_file", { path: "a.txt", text: "one\ntwo\nTHREE\nfour\nthree\n\nlast" });
    await me.get("write_file", { path: "b/c.txt", text: "three" });
    const found = await me.get("grep", { pattern: "^three$", ignore_case: true, context: 1, prefix: "a" });
    // A line between two matches stands there once.
    const lines = ["2- two", "3: THREE", "4- four", "5: three", "6- "];
    expect(found).toEqual({ files: [{ path: "a.txt", lines }] });
    await me.refuses("grep", { pattern: "(" }, "VALIDATION_ERROR: pattern ");
    await me.refuses("grep", { pattern: "x", cursor: "x" }, "VALIDATION_ERROR: cursor ");
  });

  it("shows a readable part of many matches at a time, and each once", async (me) => {
    for (let file = 0; file < 8; file += 1) {
      const of = Array.from({ length: 60 }, (_, at) => `needle ${file * 100 + at} ${"z".repeat(300)}`);
      await me.put(`f${file}.txt`, of.join("\n"));
    }
    const found = await grepAll(me, { pattern: "needle \\d+" }, GREP_CHARACTERS);
    const needles = new Set(found.map((line) => /needle \d+/.exec(line)?.[0]));
    expect([found.length, needles.size]).toEqual([480, 480]);
  });

  it("shows a readable part of lines that take more in JSON, and of what is around them", async (me) => {
    const all = Array.from({ length: 40 }, (_, at) => `needle ${at} ${"\u0001".repeat(400)}`);
    for (const [file, line] of all.slice(10).entries()) await me.put(`f${file}.txt`, line);
    const page = await me.get("grep", { pattern: "needle" });
    expect(JSON.stringify(page).length).toBeLessThan(GREP_CHARACTERS);
    expect(page).toHaveProperty("next_cursor");
    await me.put("a.txt", all.join("\n"));
    const found = await grepAll(me, { pattern: "needle", context: 10, prefix: "a" }, MOST_CHARACTERS);
    const matched = found.filter((line) => /^\d+: /.test(line));
    expect(matched.map((line) => Number.parseInt(line, 10))).toEqual(all.map((_, at) => at + 1));
  });
});
