import { Database as Sqlite } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { PART } from "../../../src/db/search/jobs.ts";
import type { FoundFilesPage } from "../../../src/http/records/record-schemas.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OWN_PROCESS, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { docx, pdf, pdfLines, wordParagraph } from "../../support/samples/documents.ts";
import { eventually, type OwnDrive, provision } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { verified } from "../../support/faults/verified.ts";
import { settledIndex } from "../../support/server/settled-index.ts";

let coffer: TestAppliance;
let own: OwnDrive;

beforeEach(async () => {
  coffer = await startAppliance();
  own = await provision(coffer);
});

afterEach(() => coffer[Symbol.asyncDispose]());

type Body = Uint8Array<ArrayBuffer> | string;

function put(path: string, body: Body, drive = own, status = 201): Promise<{ id: string }> {
  return coffer.client(drive.key).put(drive.id, path, body, status);
}

async function found(text: string, drive = own) {
  const target = `/v0/search?drive_id=${drive.id}&q=${encodeURIComponent(text)}`;
  const { data } = await coffer.client(drive.key).get<FoundFilesPage>(target);
  return data.map(({ path, snippet }) => ({ path, snippet })).toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

test("documents are found by their text, with the passage, also after a change, a move and the end", async () => {
  await put("a.pdf", pdf([pdfLines("before"), pdfLines("the needle of a page")]));
  const word = await put("b.docx", docx(wordParagraph("a needle", " in &lt;hay&gt;")));
  await put("c.html", '<p class="thread">no <b>needle</b><script>pinned()</script>');
  expect(await found("needle")).toEqual([
    { path: "a.pdf", snippet: expect.stringContaining("the needle of a page") },
    { path: "b.docx", snippet: "a needle in <hay>" },
    { path: "c.html", snippet: "no needle" },
  ]);
  expect(await found("thread")).toEqual([]);
  expect(await found("pinned")).toEqual([]);
  await put("a.pdf", pdf([pdfLines("straw")]), own, 200);
  await own.client.post(`/v0/files/${word.id}/move`, { destination_path: "moved.docx" }, 200);
  expect((await found("needle")).map(({ path }) => path)).toEqual(["c.html", "moved.docx"]);
  expect((await found("straw")).map(({ path }) => path)).toEqual(["a.pdf"]);
  await own.client.delete(`/v0/files/${word.id}`);
  expect((await found("needle")).map(({ path }) => path)).toEqual(["c.html"]);
  await coffer.close();
  expect(await verified(coffer.dataDir)).toEqual([]);
  // Those of before an upgrade are found after it.
  {
    using sql = new Sqlite(join(coffer.dataDir, "search.db"));
    sql.run("DROP TABLE search_document");
    sql.run("PRAGMA user_version = 1");
  }
  await coffer.restart();
  await eventually(async () => (await found("needle")).length === 1);
});

test("a document that cannot be read is found by its name, and is not tried again", async () => {
  await put("broken.docx", docx("<w:p>"));
  await put("none.pdf", "hello");
  expect((await found("broken")).map(({ path }) => path)).toEqual(["broken.docx"]);
  expect((await found("none")).map(({ path }) => path)).toEqual(["none.pdf"]);
  await settledIndex(coffer.dataDir);
  const said = () => coffer.lines.filter((line) => line.includes("found by its name only"));
  expect(said()).toHaveLength(2);
  await coffer.restart();
  await put("c.txt", "text");
  expect(await found("text")).toHaveLength(1);
  await settledIndex(coffer.dataDir);
  expect(said()).toHaveLength(2);
  await coffer.close();
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("a text is found while a document of another drive is read, whose process goes on and on", async () => {
  await coffer[Symbol.asyncDispose]();
  coffer = await startAppliance({}, { program: ["sh", "-c", "exec sleep 600"] });
  const [slow, quick] = [await provision(coffer), await provision(coffer)];
  for (let at = 0; at < 300; at += 1) await put(`${at}.docx`, docx(wordParagraph("needle")), slow);
  await put("a.txt", "needle", quick);
  expect(await found("needle", quick)).toEqual([{ path: "a.txt", snippet: "needle" }]);
  // With that process, the server also closes.
});

test("drives take turns: the document of one does not wait for all of another", async () => {
  await coffer[Symbol.asyncDispose]();
  await using directory = await temporaryDirectory(FAST_DIRECTORY);
  const [log, go] = [join(directory.path, "log"), join(directory.path, "go")];
  const wait = `echo "$1" >> "${log}"; while [ ! -e "${go}" ]; do sleep 0.01; done; exit 1`;
  coffer = await startAppliance({}, { program: ["sh", "-c", wait] });
  const [many, one] = [await provision(coffer), await provision(coffer)];
  for (const name of ["a", "b", "c"]) await put(`${name}.docx`, docx(wordParagraph("text")), many);
  await put("a.pdf", pdf([pdfLines("text")]), one);
  await writeFile(go, "");
  await settledIndex(coffer.dataDir);
  expect((await readFile(log, "utf8")).split("\n")).toEqual(["docx", "pdf", "docx", "docx", ""]);
});

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** A program that reads documents once there is a file `go`; before that it does what a shell is told. */
async function failingReader(directory: string, failure: string): Promise<() => Promise<void>> {
  await coffer[Symbol.asyncDispose]();
  const go = join(directory, "go");
  const real = OWN_PROCESS.map((part) => `"${part}"`);
  const script = `[ -e "${go}" ] || { ${failure}; exit; }; exec ${real.join(" ")} "$0" "$1"`;
  coffer = await startAppliance({}, { program: ["sh", "-c", script] });
  own = await provision(coffer);
  return () => writeFile(go, "");
}

/** Lets the clock go on, and has what is due then read. */
async function after(ms: number): Promise<void> {
  coffer.clock.advance(ms);
  await coffer.appliance.services.indexer.retryDocuments();
  await settledIndex(coffer.dataDir);
}

/** A shell's way to fail for each format: documents that take too long, take too much memory, or are killed. */
const FAILURE = `case "$1" in
  docx) kill -9 $$;;
  xlsx) printf '{"kind":"refused","why":"time"}\\n';;
  *) printf '{"kind":"refused","why":"memory"}\\n';;
esac`;

test("documents whose reading fails for what may pass are read again later, also after a restart", async () => {
  await using directory = await temporaryDirectory(FAST_DIRECTORY);
  const mend = await failingReader(directory.path, FAILURE);
  // The content decides how they are read.
  const paths = ["named.docx", "named.pptx", "named.xlsx"];
  for (const path of paths) await put(path, docx(wordParagraph("needle")));
  expect(await found("named")).toEqual(paths.map((path) => ({ path, snippet: null })));
  await settledIndex(coffer.dataDir);
  await mend();
  await after(59_999);
  expect(await found("needle")).toEqual([]);
  await coffer.restart();
  await after(1);
  expect(await found("needle")).toEqual(paths.map((path) => ({ path, snippet: "needle" })));
  await coffer.close();
  expect(await verified(coffer.dataDir)).toEqual([]);
});

test("a document that is never read in time is given up, until its content changes", async () => {
  await using directory = await temporaryDirectory(FAST_DIRECTORY);
  const mend = await failingReader(directory.path, "kill -9 $$");
  await put("a.docx", docx(wordParagraph("needle")));
  const tries = () => coffer.lines.filter((line) => line.includes("found by its name only")).length;
  await settledIndex(coffer.dataDir);
  const counts = [tries()];
  for (const minutes of [1, 10, 60, 360, 10_000]) {
    await after(minutes * 60_000 - 1);
    counts.push(tries());
    await after(1);
    counts.push(tries());
  }
  expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]);
  await mend();
  await put("a.docx", docx(wordParagraph("another needle")), own, 200);
  await eventually(async () => (await found("needle")).length === 1);
  expect(rowsIn(coffer.dataDir, "SELECT 1 FROM document_retry")).toEqual([]);
});

test("a search does not wait for a document that is read again, but for what replaces it", async () => {
  await using directory = await temporaryDirectory(FAST_DIRECTORY);
  const stuck = join(directory.path, "stuck");
  await failingReader(directory.path, `[ ! -e "${stuck}" ] || exec /bin/sleep 600; kill -9 $$`);
  await put("a.docx", docx(wordParagraph("needle")));
  await settledIndex(coffer.dataDir);
  await writeFile(stuck, "");
  coffer.clock.advance(60_000);
  await coffer.appliance.services.indexer.retryDocuments();
  expect(await found("needle")).toEqual([]);
  expect(rowsIn(coffer.dataDir, "SELECT parts FROM search_job")).toEqual([[PART.text]]);
  const target = `/v0/files?drive_id=${own.id}&path=a.docx`;
  const asText = { body: "a needle", headers: { "content-type": "text/plain" } };
  await own.client.json(200, "PUT", target, asText);
  expect(await found("needle")).toEqual([{ path: "a.docx", snippet: "a needle" }]);
});

async function extract({ id }: { id: string }) {
  const { status, text } = await own.client.send("POST", `/v0/files/${id}/extract`);
  return [status, text];
}

test("an extraction that the system ended says so, and is not remembered; one that took too long is for a minute", async () => {
  await using directory = await temporaryDirectory(FAST_DIRECTORY);
  const mend = await failingReader(directory.path, FAILURE);
  const ended = await put("a.docx", docx(wordParagraph("needle")));
  const late = await put("b.xlsx", docx(wordParagraph("needle")));
  expect(await extract(ended)).toEqual([
    503,
    expect.stringMatching(/UNAVAILABLE.*The system ended.*Try again/),
  ]);
  expect(await extract(late)).toEqual([422, expect.stringMatching(/more than 20 seconds.*Try again/)]);
  await mend();
  expect(await extract(ended)).toEqual([200, expect.stringContaining(WORD)]);
  // However often it is asked for.
  for (let seconds = 0; seconds < 60; seconds += 20) {
    expect(await extract(late)).toEqual([422, expect.stringContaining("20 seconds")]);
    coffer.clock.advance(20_000);
  }
  expect(await extract(late)).toEqual([200, expect.stringContaining("needle")]);
});
