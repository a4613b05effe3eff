import { describe, test } from "bun:test";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { type Expected, gives, invalid, refused, step, type Step } from "../../support/server/steps.ts";
import { HELLO_DIGEST, put } from "../../support/server/uploads.ts";

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
  const found = {
    "as it is": "notes/hello.txt",
    "with a slash before": "/notes/hello.txt",
    encoded: "notes%2Fhello.txt",
  };
  const json = { id: "{file.id}" };
  const composed = { json: { ...json, path: "\u00e4.txt" } };
  runScenarios(stage, {
    "in another Unicode form": [
      put("\u00e4.txt", "x", { keeps: "file" }),
      ask("GET", "", composed, `${drive}&path=a%CC%88.txt`),
    ],
    "in a drive named by its slug": [
      hello,
      gives("ada GET /v0/files/by-path?drive_id=ada/notes&path=notes/hello.txt", { id: "{files.ada}" }),
    ],
  });
  runEach(stage, Object.entries(found), ([how, path]) => [
    how,
    hello,
    ask("GET", "", { json, receives: { etag: RECORD_ETAG } }, `${drive}&path=${path}`),
  ]);
});

describe("a path that names no file", () => {
  const dotted = ["./notes/hello.txt", "notes/../notes/hello.txt"];
  const slashes = ["", "/", "notes/", "notes//hello.txt", "//notes/hello.txt"];
  const malformed = [...slashes, ...dotted, "notes%5Chello.txt", "notes/hello.txt%00"];
  const none: readonly string[] = ["notes", "hello.txt", "notes/HELLO.txt", "notes/hello.txt%20", "%25"];
  const GET = "GET /v0/files/by-path?drive_id={drive}";
  runAfter(stage, [hello], {
    "in a drive that is another's": step("GET /v0/files/by-path?drive_id={drives.ada}&path=notes/hello.txt", {
      ...refused("NOT_FOUND"),
      contains: ["No such drive."],
    }),
    "left out": step(GET, invalid("path")),
    "in a drive that is left out, even by a key of one drive": step(
      "GET /v0/files/by-path?path=notes/hello.txt",
      invalid("drive_id"),
    ),
  });
  runEach(stage, malformed, (path) => [
    `malformed: "${path}"`,
    hello,
    step(`${GET}&path=${path}`, invalid("path")),
  ]);
  runEach(stage, none, (path) => [
    `of nothing: "${path}"`,
    hello,
    step(`${GET}&path=${path}`, { ...refused("NOT_FOUND"), contains: ["No such file."] }),
  ]);
});

describe("what can be done with a file's id can be done with its path", () => {
  const gone: Step = step(`GET /v0/files/by-path?${HELLO}`, refused("NOT_FOUND"));
  const changed = { body: { path: "b.txt", tags: ["x"] }, json: { id: "{file.id}", path: "b.txt" } };
  const copied = { body: { destination_path: "c.txt" }, status: 201, json: { path: "c.txt" } };
  const moved = { body: { destination_path: "m.txt" }, json: { id: "{file.id}" } };
  const ranged = { headers: { range: "bytes=6-" }, status: 206, contains: [/^World!$/] } as const;
  const inRange = { "content-range": "bytes 6-11/12", etag: ETAG };
  const shown = { contains: ["Hello"], receives: { "content-disposition": /^inline/ } } as const;
  const head = { empty: true, receives: { "content-length": "12", etag: ETAG } } as const;
  const current = { headers: { "if-none-match": ETAG }, status: 304, empty: true } as const;
  runAfter(stage, [hello], {
    "change it": [ask("PATCH", "", changed), gone],
    "change it, unless it has changed": [
      step(`PATCH /v0/files/by-path?${HELLO}`, {
        body: { tags: ["x"] },
        headers: { "if-match": '"other"' },
        ...refused("PRECONDITION_FAILED"),
      }),
      ask("GET", "", { json: { tags: [] } }),
    ],
    "delete it": [ask("DELETE", "", { json: { id: "{file.id}", deleted: true } }), gone],
    "copy it": [ask("POST", "/copy", copied), isThere],
    "move it": [ask("POST", "/move", moved), gone],
    "download it": ask("GET", "/download", { contains: [/^Hello World!$/] }),
    "download a range of it": ask("GET", "/download", { ...ranged, receives: inRange }),
    "show it in a browser": ask("GET", "/download", shown, `${HELLO}&inline=1`),
    "ask for its headers": ask("HEAD", "/download", head),
    "ask whether a copy is current": ask("GET", "/download", current),
    "extract it": ask("POST", "/extract", { json: { content: "Hello World!" } }),
    "link to it": [
      ask("POST", "/presigned-url", { contains: ["/v0/presigned/"], keeps: "link" }),
      step("nobody GET /v0/presigned/{link.token}", { contains: [/^Hello World!$/] }),
    ],
  });
});

runScenarios(stage, {
  "another file that has taken the path is meant": [
    hello,
    ask("POST", "/move", { body: { destination_path: "old.txt" }, json: { id: "{file.id}" } }),
    put("notes/hello.txt", "new", { keeps: "second" }),
    ask("GET", "", { json: { id: "{second.id}" } }),
  ],
});

test("a file that has expired is at no path, for a read or a write", async () => {
  const { id, client } = await stage.ownDrive();
  const expires_at = stage.coffer.clock.iso(60_000);
  await client.put(id, "f", "", 201, `&expires_at=${expires_at}`);
  const address = `/v0/files/by-path?drive_id=${id}&path=f`;
  await client.get(address);
  stage.coffer.clock.advance(60_000);
  await client.json(404, "GET", address);
  await client.json(404, "DELETE", address);
});
