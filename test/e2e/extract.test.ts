import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import {
  docx,
  epub,
  odt,
  pdf,
  pdfLines,
  pdfOf,
  pptx,
  wordParagraph,
  xlsx,
} from "../support/samples/documents.ts";
import { manyScans, png } from "../support/samples/pictures.ts";
import { provision, serve } from "../support/server/executable.ts";
import { connectMcp, REVISIONS } from "../support/peers/mcp.ts";
import { eventually } from "../support/server/scenario.ts";
import { longTest } from "../support/server/thorough.ts";

// The libraries that read documents and speak MCP are in the executable, and the process that reads is this executable,
// as is the one that draws thumbnails.

const server = await serve();
const agent = await provision(server);
afterAll(() => server[Symbol.asyncDispose]());

/** Stores a document, and returns the path of its extraction. */
async function stored(path: string, body: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const { id } = await agent.client.put(agent.drive, path, body);
  return `/v0/files/${id}/extract`;
}

/** A page that takes seconds to read. */
function slowPdf(): Uint8Array<ArrayBuffer> {
  const stream = deflateSync(`BT /F 1 Tf ${"(a) Tj ".repeat(8_000_000)} ET`).toString("latin1");
  return pdfOf([
    "1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj",
    "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj",
    "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>> endobj",
    `4 0 obj <</Length ${stream.length}/Filter/FlateDecode>> stream\n${stream}\nendstream endobj`,
  ]);
}

/** The processes that the server has started. Linux only. */
function children(): string[] {
  const tasks = `/proc/${server.pid}/task`;
  return readdirSync(tasks).flatMap((task) =>
    readFileSync(join(tasks, task, "children"), "utf8")
      .split(" ")
      .filter(Boolean),
  );
}

test.each([
  ["a.pdf", pdf([pdfLines("text")])],
  ["a.docx", docx(wordParagraph("text"))],
  ["a.xlsx", xlsx({ text: "" })],
  ["a.pptx", pptx([["text"]], "")],
  ["a.odt", odt("<text:p>text</text:p>")],
  ["a.epub", epub(["<p>text</p>"])],
  ["a.html", "<p>text</p>"],
])("the text of %s is read", async (path, body) => {
  const answer = await agent.client.send("POST", await stored(path, body));
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("text")]);
});

test("a document that takes too much memory is refused, and its process ends", async () => {
  const path = await stored("bomb.html", "<table><tr><td>".repeat(4_000_000));
  const answer = await agent.client.send("POST", path);
  expect([answer.status, answer.text]).toEqual([422, expect.stringContaining("memory")]);
  expect(children()).toEqual([]);
});

test("nothing waits for a slow document but others of its owner, and it ends with its client", async () => {
  const client = new AbortController();
  const headers = { authorization: `Bearer ${agent.key}` };
  const slow = fetch(server.url + (await stored("slow.pdf", slowPdf())), {
    method: "POST",
    headers,
    signal: client.signal,
  });
  slow.catch(() => {});
  await eventually(() => children().length === 1);
  await agent.client.get("/v0/drives");
  client.abort();
  await eventually(() => children().length === 0);
});

longTest("a picture that takes minutes to draw ends with its client, and the next one is drawn", async () => {
  const thumbnailOf = async (path: string, body: Uint8Array<ArrayBuffer>) =>
    `/v0/files/${(await agent.client.put(agent.drive, path, body)).id}/thumbnail`;
  const [hostile, plain] = [
    await thumbnailOf("a.jpg", await manyScans()),
    await thumbnailOf("a.png", png(900, 900)),
  ];
  const client = new AbortController();
  const headers = { authorization: `Bearer ${agent.key}` };
  const slow = fetch(server.url + hostile, { headers, signal: client.signal });
  slow.catch(() => {});
  await eventually(() => children().length === 1);
  // Of an unclaimed drive one is drawn at a time.
  const next = agent.client.send("GET", plain);
  client.abort();
  expect(await next).toMatchObject({ status: 200 });
  await eventually(() => children().length === 0);
});

test.each(REVISIONS)("an MCP client of %s is served, from nothing but the address", async (revision) => {
  await using anybody = await connectMcp(server.url, undefined, revision);
  const { api_key: key } = await anybody.get("provision_drive", { name: revision });
  await anybody.get("write_file", { api_key: key, path: "first.md", text: "by its argument" });
  await using me = await connectMcp(server.url, String(key), revision);
  expect(await me.get("read_file", { path: "first.md" })).toMatchObject({ text: "by its argument" });
  expect(await me.get("grep", { pattern: "^by" })).toMatchObject({ files: [{ path: "first.md" }] });
  const [resource] = (await me.client.listResources()).resources;
  const { contents } = await me.client.readResource({ uri: resource?.uri ?? "" });
  expect(contents).toMatchObject([{ text: "by its argument" }]);
  await server.stdout.until(/tools\/call write_file/);
  expect(server.stdout.text).not.toContain(String(key).slice(-24));
});
