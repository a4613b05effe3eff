import { describe, test } from "bun:test";
import {
  type Expected,
  HELLO_DIGEST,
  invalid,
  openStage,
  put,
  refused,
  row,
  runScenarios,
  type Scenario,
  type Step,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const ETAG = `"${HELLO_DIGEST}"`;
/** The ETag of a record with this content. */
const RECORD_ETAG = new RegExp(`^"${HELLO_DIGEST}\\.[0-9a-f]{16}"$`);
const hello = put("notes/hello.txt", "Hello World!", { keeps: "file" });
const HELLO = "drive_id={drive}&path=notes/hello.txt";

function ask(method: string, rest: string, expected: Expected, query = HELLO): Step {
  return { request: [method, `/v0/files/by-path${rest}?${query}`], status: 200, ...expected };
}

const isThere: Step = ask("GET", "", { json: { id: "{file.id}" } });

describe("a file is found by its path", () => {
  const drive = "drive_id={drive}";
  const found: readonly (readonly [how: string, path: string])[] = [
    ["as it is", "notes/hello.txt"],
    ["with a slash before", "/notes/hello.txt"],
    ["encoded", "notes%2Fhello.txt"],
  ];
  runScenarios(stage, [
    ...found.map(([how, path]): Scenario => ({
      name: how,
      given: [hello],
      ...ask("GET", "", { json: { id: "{file.id}" } }, `${drive}&path=${path}`),
      receives: { etag: RECORD_ETAG },
    })),
    row(
      "in another Unicode form",
      ask("GET", "", { json: { id: "{file.id}", path: "\u00e4.txt" } }, `${drive}&path=a%CC%88.txt`),
      { given: [put("\u00e4.txt", "x", { keeps: "file" })] },
    ),
    {
      name: "in a drive named by its slug",
      as: "ada",
      ...ask("GET", "", { json: { id: "{files.ada}" } }, "drive_id=ada/notes&path=notes/hello.txt"),
    },
  ]);
});

describe("a path that names no file", () => {
  const malformed: readonly string[] = [
    "",
    "/",
    "notes/",
    "notes//hello.txt",
    "./notes/hello.txt",
    "notes/../notes/hello.txt",
    "notes%5Chello.txt",
    "notes/hello.txt%00",
    "//notes/hello.txt",
  ];
  const none: readonly string[] = ["notes", "hello.txt", "notes/HELLO.txt", "notes/hello.txt%20", "%25"];
  runScenarios(stage, [
    ...malformed.map((path) =>
      row(`malformed: "${path}"`, `GET /v0/files/by-path?drive_id={drive}&path=${path}`, {
        given: [hello],
        ...invalid("path"),
      }),
    ),
    ...none.map((path) =>
      row(`of nothing: "${path}"`, `GET /v0/files/by-path?drive_id={drive}&path=${path}`, {
        given: [hello],
        ...refused("NOT_FOUND"),
        contains: ["No such file."],
      }),
    ),
    row("in a drive that is another's", "GET /v0/files/by-path?drive_id={drives.ada}&path=notes/hello.txt", {
      ...refused("NOT_FOUND"),
      contains: ["No such drive."],
    }),
    row("left out", "GET /v0/files/by-path?drive_id={drive}", invalid("path")),
    row(
      "in a drive that is left out, even by a key of one drive",
      "GET /v0/files/by-path?path=notes/hello.txt",
      { given: [hello], ...invalid("drive_id") },
    ),
  ]);
});

describe("what can be done with a file's id can be done with its path", () => {
  const gone: Step = step(`GET /v0/files/by-path?${HELLO}`, refused("NOT_FOUND"));
  runScenarios(stage, { given: [hello] }, [
    row(
      "change it",
      ask("PATCH", "", { body: { path: "b.txt", tags: ["x"] }, json: { id: "{file.id}", path: "b.txt" } }),
      { after: [gone] },
    ),
    row("change it, unless it has changed", `PATCH /v0/files/by-path?${HELLO}`, {
      body: { tags: ["x"] },
      headers: { "if-match": '"other"' },
      ...refused("PRECONDITION_FAILED"),
      after: [ask("GET", "", { json: { tags: [] } })],
    }),
    row("delete it", ask("DELETE", "", { json: { id: "{file.id}", deleted: true } }), { after: [gone] }),
    row(
      "copy it",
      ask("POST", "/copy", { body: { destination_path: "c.txt" }, status: 201, json: { path: "c.txt" } }),
      { after: [isThere] },
    ),
    row("move it", ask("POST", "/move", { body: { destination_path: "m.txt" }, json: { id: "{file.id}" } }), {
      after: [gone],
    }),
    row("download it", ask("GET", "/download", { contains: [/^Hello World!$/] })),
    {
      name: "download a range of it",
      ...ask("GET", "/download", { headers: { range: "bytes=6-" }, status: 206, contains: [/^World!$/] }),
      receives: { "content-range": "bytes 6-11/12", etag: ETAG },
    },
    {
      name: "show it in a browser",
      ...ask("GET", "/download", { contains: ["Hello"] }, `${HELLO}&inline=1`),
      receives: { "content-disposition": /^inline/ },
    },
    row(
      "ask for its headers",
      ask("HEAD", "/download", { empty: true, receives: { "content-length": "12", etag: ETAG } }),
    ),
    row(
      "ask whether a copy is current",
      ask("GET", "/download", { headers: { "if-none-match": ETAG }, status: 304, empty: true }),
    ),
    row("extract it", ask("POST", "/extract", { json: { content: "Hello World!" } })),
    row("link to it", ask("POST", "/presigned-url", { contains: ["/v0/presigned/"], keeps: "link" }), {
      after: [step("nobody GET /v0/presigned/{link.token}", { contains: [/^Hello World!$/] })],
    }),
  ]);
});

runScenarios(stage, [
  row("another file that has taken the path is meant", ask("GET", "", { json: { id: "{second.id}" } }), {
    given: [
      hello,
      ask("POST", "/move", { body: { destination_path: "old.txt" }, json: { id: "{file.id}" } }),
      put("notes/hello.txt", "new", { keeps: "second" }),
    ],
  }),
]);

test("a file that has expired is at no path, for a read or a write", async () => {
  const { id, client } = await stage.ownDrive();
  const expires_at = new Date(stage.coffer.clock.now() + 60_000).toISOString();
  const body = { drive_id: id, filename: "f", content: "", expires_at };
  await client.post("/v0/files", body);
  const address = `/v0/files/by-path?drive_id=${id}&path=f`;
  await client.get(address);
  stage.coffer.clock.advance(60_000);
  await client.json(404, "GET", address);
  await client.json(404, "DELETE", address);
});
