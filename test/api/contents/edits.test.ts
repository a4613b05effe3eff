import { describe, expect, test } from "bun:test";
import { encoded } from "../../support/samples/encodings.ts";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { type Expected, invalid, refused, step, type Step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import type { Json } from "../../support/server/client.ts";
import { tally } from "../../support/server/answers.ts";

const stage = openStage();

type Body = { [name: string]: Json };

function file(content: string | Uint8Array<ArrayBuffer> = "one\ntwo\nthree\n"): Step {
  return put("f.txt", content, { keeps: "file" });
}

function edit(body: Body, expected: Expected): Step {
  return step("POST /v0/files/{file.id}/edit", { body, ...expected });
}

/** The file's content must be these bytes. */
function holds(content: string | Uint8Array): Step {
  const hash = Bun.SHA256.hash(content, "hex");
  return step("GET /v0/files/{file.id}", {
    json: { content_hash: `sha256:${hash}`, size: Buffer.byteLength(content) },
  });
}

const replace = (old_string: string, new_string: string, more: Body = {}): Body => {
  return { op: "str_replace", old_string, new_string, ...more };
};
const ALL = { replace_all: true };
const utf16 = (text: string) => encoded(text, "utf-16le");
const insert = (line: number, text: string): Body => ({ op: "insert", line, text });
const append = (text: string): Body => ({ op: "append", text });

type Content = string | Uint8Array<ArrayBuffer>;

function latin1(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "latin1"));
}

// What edits make of a text in UTF-8 is tried with all in test/properties/edits.test.ts.
describe("what an edit makes of a text", () => {
  const made: readonly (readonly [name: string, before: Content, edit: Body, after: Content])[] = [
    ["a replacement that stands for itself", "$& $1\n", replace("$&", "$$"), "$$ $1\n"],
    ["a line in an empty file", "", insert(0, "one"), "one"],
    ["line ends of another system, inserted", "one\r\n", insert(1, "two\nthree"), "one\r\ntwo\r\nthree\r\n"],
    ["a mark", "\ufeffone\n", replace("one", "two"), "\ufefftwo\n"],
    ["a mark before a new line", "\ufeffone\n", insert(0, "zero"), "\ufeffzero\none\n"],
    ["UTF-16", utf16("caf\u00e9\n"), replace("\u00e9", "\u65e5"), utf16("caf\u65e5\n")],
    ["UTF-16, the other way", encoded("a\n", "utf-16be"), append("\u65e5"), encoded("a\n\u65e5", "utf-16be")],
    ["Latin-1", latin1("caf\u00e9\n"), replace("caf", "\u00fc"), latin1("\u00fc\u00e9\n")],
    ["Latin-1, appended", latin1("caf\u00e9"), append("\u00e9"), latin1("caf\u00e9\u00e9")],
    [
      "several, one after the other",
      "one\n",
      { edits: [replace("one", "two"), replace("two", "three"), insert(0, "zero"), append("end")] },
      "zero\nthree\nend",
    ],
  ];
  runEach(stage, made, ([name, before, body, after]) => {
    const json = { id: "{file.id}", size: Buffer.byteLength(after) };
    const receives = { etag: `"${Bun.SHA256.hash(after, "hex")}"` };
    return [name, file(before), edit(body, { json, receives }), holds(after)];
  });
});

const conflict = (...contains: [string, ...string[]]) => ({ ...refused("CONFLICT"), contains });

describe("an edit that is refused changes nothing, and says why", () => {
  const found = file("one two\none\n");
  const cafe = file(latin1("caf\u00e9"));
  const list = [append("x"), insert(9, "y")];
  const both = { old_string: "a", new_string: "b", edits: [append("x")] };
  const last = { edits: [append("x"), insert(0, "y"), replace("three", "")] };
  const many = { edits: Array.from({ length: 101 }, () => append("x")) };
  const noEnd = { op: "str_replace", old_string: "two" };
  const spaces = conflict("From line 1 on", "only in spaces or line ends");
  const refusals: readonly (readonly [name: string, body: Body, expected: Expected])[] = [
    ["what is not there", replace("three", ""), conflict("is not in the file")],
    ["what is there with other spaces", replace("two  one", ""), spaces],
    ["what is there twice", replace("one", "1"), conflict("at line 1, 2.", "replace_all")],
    ["nothing", replace("", "x"), invalid("old_string")],
    ["nothing to put in its place", noEnd, invalid("new_string")],
    ["a line that is not there", insert(3, "x"), { ...invalid("line"), contains: ["at most 2"] }],
    ["no line", { op: "insert", text: "x" }, invalid("line")],
    ["no text", { op: "append" }, invalid("text")],
    ["a NUL", append("\0"), invalid("text")],
    ["half a character", append("\ud800"), invalid("text")],
    ["no edit", {}, invalid("op")],
    ["another edit", { op: "delete" }, invalid("op")],
    ["no edits", { edits: [] }, invalid("edits")],
    ["one edit and several", { ...append("x"), edits: [append("y")] }, invalid("edits")],
    ["a list beside the fields of one without its op", both, invalid("edits")],
    ["too many edits", many, invalid("edits")],
    ["the last of several", last, conflict("edits[2].old_string")],
    ["one in a list", { edits: [insert(9, "y")] }, invalid("edits[0].line")],
    ["a field of several", { edits: list }, invalid("edits[1].line")],
  ];
  runEach(stage, refusals, ([name, body, expected]) => [
    name,
    found,
    edit(body, expected),
    holds("one two\none\n"),
  ]);
  const others: readonly (readonly [name: string, file: Step, body: Body, expected: Expected])[] = [
    ["a character that the file's encoding lacks", cafe, append("\u65e5"), conflict("Latin-1")],
    ["a picture", put("f.png", "x", { keeps: "file" }), append("x"), refused("UNSUPPORTED_MEDIA_TYPE")],
    [
      "a file that has changed",
      file(),
      append("x"),
      { ...refused("PRECONDITION_FAILED"), headers: { "if-match": '"other"' } },
    ],
    ["what is no text", file(new Uint8Array([0x61, 0])), append("x"), refused("EXTRACTION_FAILED")],
  ];
  runEach(stage, others, ([name, given, body, expected]) => [name, given, edit(body, expected)]);
});

describe("the diff", () => {
  const diff = "--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
  const appended =
    "--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,4 @@\n one\n two\n three\n+four\n\\ No newline at end of file\n";
  const asItIs = { diff, size: 14, content_hash: "{file.content_hash}" };
  const nothing = { diff: "", diff_cut: false };
  runScenarios(stage, {
    "is cut where it is long": [
      file("a\n".repeat(50_000)),
      edit(replace("a", "b", ALL), { json: { diff_cut: true } }),
      holds("b\n".repeat(50_000)),
    ],
  });
  runAfter(stage, [file()], {
    "comes with what was changed": edit(replace("two", "2"), { json: { diff, diff_cut: false } }),
    "comes alone from a dry run, with the record as it is": [
      edit(replace("two", "2", { dry_run: true }), { json: asItIs }),
      holds("one\ntwo\nthree\n"),
    ],
    "shows what is appended, in its place": edit(append("four"), { json: { diff: appended } }),
    "is empty where nothing changes": edit(replace("two", "two"), { json: nothing }),
  });
});

describe("what an edit leaves as it is", () => {
  const metadata = { metadata: { by: "nobody" }, tags: ["kept"], expires_at: "2099-01-01T00:00:00.000Z" };
  runScenarios(stage, {
    "the record, but for its content": [
      put("f.txt", "one\n", { headers: { "content-type": "text/x-own" }, keeps: "file" }),
      step("PATCH /v0/files/{file.id}", { body: metadata, json: metadata }),
      edit(append("two\n"), { json: { ...metadata, mime_type: "text/x-own", path: "f.txt" } }),
    ],
    "a file that was edited by its path": [
      file(),
      step("POST /v0/files/by-path/edit?drive_id={drive}&path=f.txt", {
        body: append("four\n"),
        json: { id: "{file.id}", size: 19 },
      }),
    ],
  });
});

test("edits over a megabyte and over the limit", async () => {
  const { id, client } = await stage.ownDrive();
  const line = "a line that is in the file very often\n";
  const text = `first\n${line.repeat(Math.ceil((16 * 1024 * 1024) / line.length))}`;
  const send = (size: number) => client.put(id, `f-${size}.txt`, text.slice(0, size));
  const [within, over] = [await send(5_000_000), await send(16 * 1024 * 1024 + 1)];
  const ask = (status: number, fileId: string, body: Body) =>
    client.json<{ size: number; diff: string }>(status, "POST", `/v0/files/${fileId}/edit`, { body });
  expect((await ask(200, within.id, replace("first", "1"))).size).toBe(4_999_996);
  const edits = [insert(2, "new"), insert(3, "newer"), replace("new\n", "n\n")];
  const several = await ask(200, within.id, { edits });
  expect(several.diff).toContain("\n+n\n+newer\n");
  await ask(409, within.id, replace("very", "less"));
  await ask(400, within.id, replace("e", "", ALL));
  await ask(413, over.id, replace("first", "1"));
  const appended = await ask(200, over.id, { edits: [append("x"), append("y")] });
  expect(appended.size).toBe(16 * 1024 * 1024 + 3);
  expect(appended.diff).toContain("xy\n\\ No newline");
});

test("an edit that would make a text too long is refused before it is made", async () => {
  const { id, client } = await stage.ownDrive();
  const made = await client.put(id, "f.txt", "a".repeat(50_000));
  const body = replace("a", "b".repeat(500_000), ALL);
  await client.json(413, "POST", `/v0/files/${made.id}/edit`, { body });
});

test("of many edits at the same time none is lost, though none says what it is based on", async () => {
  const { id, client } = await stage.ownDrive();
  const made = await client.put(id, "f.txt", "a\n");
  const lines = Array.from({ length: 30 }, (_, n) => `line ${n}`);
  const edits = lines.map((line, n) => (n % 2 === 0 ? append(`${line}\n`) : insert(0, line)));
  await Promise.all(edits.map((each) => client.post(`/v0/files/${made.id}/edit`, each, 200)));
  const { text } = await client.send("GET", `/v0/files/${made.id}/download`);
  expect(text.split("\n").toSorted()).toEqual(["", "a", ...lines].toSorted());
});

test("of edits at the same time that say what they are based on, one is made", async () => {
  const { id, client } = await stage.ownDrive();
  const made = await client.put<{ id: string; content_hash: string }>(id, "f.txt", "a\n");
  const headers = { "if-match": `"${made.content_hash.replace("sha256:", "")}"` };
  const answers = await Promise.all(
    ["1", "2", "3", "4", "5"].map((text) =>
      client.send("POST", `/v0/files/${made.id}/edit`, { body: append(text), headers }),
    ),
  );
  expect(tally(answers)).toEqual({ 200: 1, 412: 4 });
});

describe("text that is appended to a file which may not be there", () => {
  const at = "POST /v0/files/by-path/edit?drive_id={drive}&path=log/day.txt";
  runScenarios(stage, {
    "makes it once": [
      step(at, {
        body: { ...append("one\n"), create: true },
        json: {
          created: true,
          path: "log/day.txt",
          mime_type: "text/plain",
          diff: expect.stringContaining("+one"),
        },
      }),
      step(at, {
        body: { edits: [append("two\n"), append("three\n")], create: true },
        json: { created: false, size: 14 },
      }),
    ],
    "makes none unless it is asked to": step(at, { body: append("one\n"), ...refused("NOT_FOUND") }),
    "makes none where another one was read": step(at, {
      body: { ...append("one\n"), create: true, if_match: "x" },
      ...refused("NOT_FOUND"),
    }),
    "is no other edit": step(at, { body: { ...insert(0, "one"), create: true }, ...invalid("create") }),
  });

  test("is not lost by any of those who write first", async () => {
    const { id, client } = await stage.ownDrive();
    const request = `/v0/files/by-path/edit?drive_id=${id}&path=log.txt`;
    const lines = Array.from({ length: 12 }, (_, number) => `line ${number}\n`);
    const made = await Promise.all(
      lines.map((text) =>
        client.json<{ created: boolean }>(200, "POST", request, {
          body: { op: "append", text, create: true },
        }),
      ),
    );
    expect(made.filter(({ created }) => created)).toHaveLength(1);
    const text = await (
      await client.fetch("GET", `/v0/files/by-path/download?drive_id=${id}&path=log.txt`)
    ).text();
    expect(text.split(/(?<=\n)/).toSorted()).toEqual(lines.toSorted());
  });
});
