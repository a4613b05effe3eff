import { describe, expect, test } from "bun:test";
import {
  holds,
  invalid,
  openStage,
  put,
  refused,
  row,
  runScenarios,
  type Step,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

const FILE = "/v0/files?drive_id={drive}&path=f.txt";
const JSON_UPLOAD = { drive_id: "{drive}", filename: "f.txt", content: btoa("the tail") };
const FORM = [
  "--x",
  'Content-Disposition: form-data; name="drive_id"',
  "",
  "{drive}",
  "--x",
  'Content-Disposition: form-data; name="file"; filename="f.txt"',
  "",
  "the tail",
  "--x--",
].join("\r\n");

const FORM_TYPE = { "content-type": "multipart/form-data; boundary=x" };

/** The ways to upload over `f.txt`. */
const UPLOADS: readonly (readonly [name: string, upload: Pick<Step, "request" | "body" | "headers">])[] = [
  ["PUT", { request: ["PUT", FILE], body: "the tail" }],
  ["POST of JSON", { request: ["POST", "/v0/files"], body: JSON_UPLOAD }],
  ["POST of a form", { request: ["POST", "/v0/files"], body: FORM, headers: FORM_TYPE }],
];
const whole = put("f.txt", "the whole", { keeps: "made" });
const unchanged: readonly Step[] = [
  holds("f.txt"),
  step("GET /v0/files/{made.id}/download", { contains: [/^the whole$/] }),
];
function packed(body: object): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(JSON.stringify(body));
}

const CODED = refused("UNSUPPORTED_MEDIA_TYPE");

describe("an upload with a Content-Range does not put a part in the place of the whole", () => {
  runScenarios(stage, { given: [whole] }, [
    ...UPLOADS.map(([name, upload]) => ({
      name,
      ...upload,
      headers: { ...upload.headers, "content-range": "bytes 2-9/10" },
      ...invalid("Content-Range"),
      after: unchanged,
    })),
    row("nor a range of the whole, nor one that is malformed", `PUT ${FILE}`, {
      body: "the tail",
      headers: { "content-range": "all of it" },
      ...invalid("Content-Range"),
      after: unchanged,
    }),
    row("nor under an Idempotency-Key, which stays free for the whole", `PUT ${FILE}`, {
      body: "the tail",
      headers: { "content-range": "bytes 2-9/10", "idempotency-key": "4b1d4a0e" },
      ...invalid("Content-Range"),
      after: [
        ...unchanged,
        step(`PUT ${FILE}`, {
          body: "the tail",
          headers: { "idempotency-key": "4b1d4a0e" },
          json: { size: 8 },
        }),
      ],
    }),
  ]);
});

describe("a coded body is never stored as if it were the file", () => {
  const codings = ["gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip", "aws-chunked"];
  runScenarios(stage, [
    ...UPLOADS.flatMap(([name, upload]) =>
      codings.map((coding) => ({
        name: `${name}, ${coding}`,
        given: [whole],
        ...upload,
        headers: { ...upload.headers, "content-encoding": coding },
        ...CODED,
        receives: { "accept-encoding": "identity" },
        after: unchanged,
      })),
    ),
    ...UPLOADS.flatMap(([name, upload]) =>
      ["identity", "Identity", "identity,identity", ""].map((coding) => ({
        name: `${name}, "${coding}" is none`,
        ...upload,
        headers: { ...upload.headers, "content-encoding": coding },
        status: 201,
        json: { path: "f.txt", size: 8 },
        after: [holds("f.txt")],
      })),
    ),
  ]);
});

describe("a coded JSON body is refused as what it is, not as malformed", () => {
  const headers = { "content-encoding": "gzip" };
  const refusal = { headers, ...CODED, receives: { "accept-encoding": "identity" } };
  runScenarios(stage, [
    row("POST", "POST /v0/keys", {
      body: packed({ name: "k" }),
      ...refusal,
      after: [step("GET /v0/keys", { json: [{ drive_id: "{drive}" }] })],
    }),
    row("PATCH", "PATCH /v0/files/{made.id}", {
      given: [whole],
      body: packed({ path: "other" }),
      ...refusal,
      after: unchanged,
    }),
    row("DELETE", "DELETE /v0/folders", {
      given: [put("d/f.txt")],
      body: packed({ drive_id: "x", path: "d/" }),
      ...refusal,
      after: [holds("d/f.txt")],
    }),
    row("nobody's", "nobody POST /v0/drives/provision", { body: packed({ name: "D" }), ...refusal }),
    row("where a body may be left out", "POST /v0/files/{made.id}/presigned-url", {
      given: [whole],
      body: packed({}),
      ...refusal,
    }),
  ]);

  test("before it has arrived", async () => {
    const own = await stage.ownDrive();
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const answer = await own.client.send("POST", "/v0/keys", { body: never, headers });
    expect(answer.status).toBe(415);
  });

  runScenarios(stage, [
    row("what reads no body does not look at it", "GET /v0/files/{made.id}", {
      given: [whole],
      headers,
      json: { id: "{made.id}" },
    }),
  ]);
});
