import { describe, test } from "bun:test";
import { openStage, runAfter, runEach, runScenarios } from "../../support/server/scenario.ts";
import { gives, invalid, refused, step } from "../../support/server/steps.ts";
import { HELLO_DIGEST, put } from "../../support/server/uploads.ts";

// That all that can be done with a file's id can be done with its path is in openapi-answers.test.ts.

const stage = openStage();

/** The ETag of a record with this content. */
const RECORD_ETAG = new RegExp(`^"${HELLO_DIGEST}\\.[0-9a-f]{16}"$`);
const hello = put("notes/hello.txt", "Hello World!", { keeps: "file" });
const GET = "GET /v0/files/by-path?drive_id={drive}";

describe("a file is found by its path", () => {
  const found = {
    "as it is": "notes/hello.txt",
    "with a slash before": "/notes/hello.txt",
    encoded: "notes%2Fhello.txt",
  };
  runScenarios(stage, {
    "in another Unicode form": [
      put("\u00e4.txt", "x", { keeps: "file" }),
      gives(`${GET}&path=a%CC%88.txt`, { id: "{file.id}", path: "\u00e4.txt" }),
    ],
    "in a drive named by its slug": gives(
      "ada GET /v0/files/by-path?drive_id=ada/notes&path=notes/hello.txt",
      { id: "{files.ada}" },
    ),
    "another one that has taken the path": [
      hello,
      gives("POST /v0/files/{file.id}/move", { id: "{file.id}" }, { body: { destination_path: "old.txt" } }),
      put("notes/hello.txt", "new", { keeps: "second" }),
      gives(`${GET}&path=notes/hello.txt`, { id: "{second.id}" }),
    ],
  });
  runEach(stage, Object.entries(found), ([how, path]) => [
    how,
    hello,
    gives(`${GET}&path=${path}`, { id: "{file.id}" }, { receives: { etag: RECORD_ETAG } }),
  ]);
});

describe("a path that names no file", () => {
  const dotted = ["./notes/hello.txt", "notes/../notes/hello.txt"];
  const slashes = ["", "/", "notes/", "notes//hello.txt", "//notes/hello.txt"];
  const malformed = [...slashes, ...dotted, "notes%5Chello.txt", "notes/hello.txt%00"];
  const none: readonly string[] = ["notes", "hello.txt", "notes/HELLO.txt", "notes/hello.txt%20", "%25"];
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
