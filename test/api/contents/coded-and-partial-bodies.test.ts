import { describe, expect, test } from "bun:test";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { invalid, refused, type Step, step } from "../../support/server/steps.ts";
import { FORM_TYPE, formOf, holds, put } from "../../support/server/uploads.ts";

const stage = openStage();

const FILE = "/v0/files?drive_id={drive}&path=f.txt";
const JSON_UPLOAD = { drive_id: "{drive}", filename: "f.txt", content: btoa("the tail") };
const FORM = formOf(['name="drive_id"', "{drive}"], ['name="file"; filename="f.txt"', "the tail"]);

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
  runAfter(stage, [whole], {
    "nor a range of the whole, nor one that is malformed": [
      step(`PUT ${FILE}`, {
        body: "the tail",
        headers: { "content-range": "all of it" },
        ...invalid("Content-Range"),
      }),
      ...unchanged,
    ],
    "nor under an Idempotency-Key, which stays free for the whole": [
      step(`PUT ${FILE}`, {
        body: "the tail",
        headers: { "content-range": "bytes 2-9/10", "idempotency-key": "4b1d4a0e" },
        ...invalid("Content-Range"),
      }),
      ...unchanged,
      step(`PUT ${FILE}`, {
        body: "the tail",
        headers: { "idempotency-key": "4b1d4a0e" },
        json: { size: 8 },
      }),
    ],
  });
  runEach(stage, UPLOADS, ([name, upload]) => [
    name,
    whole,
    {
      ...upload,
      headers: { ...upload.headers, "content-range": "bytes 2-9/10" },
      ...invalid("Content-Range"),
    },
    ...unchanged,
  ]);
});

describe("a coded body is never stored as if it were the file", () => {
  const codings = ["gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip", "aws-chunked"];
  for (const [name, upload] of UPLOADS) {
    runEach(stage, codings, (coding) => [
      `${name}, ${coding}`,
      whole,
      {
        ...upload,
        headers: { ...upload.headers, "content-encoding": coding },
        ...CODED,
        receives: { "accept-encoding": "identity" },
      },
      ...unchanged,
    ]);
    runEach(stage, ["identity", "Identity", "identity,identity", ""], (coding) => [
      `${name}, "${coding}" is none`,
      {
        ...upload,
        headers: { ...upload.headers, "content-encoding": coding },
        status: 201,
        json: { path: "f.txt", size: 8 },
      },
      holds("f.txt"),
    ]);
  }
});

describe("a coded JSON body is refused as what it is, not as malformed", () => {
  const headers = { "content-encoding": "gzip" };
  const refusal = { headers, ...CODED, receives: { "accept-encoding": "identity" } };
  runAfter(stage, [whole], {
    PATCH: [step("PATCH /v0/files/{made.id}", { body: packed({ path: "other" }), ...refusal }), ...unchanged],
    "where a body may be left out": step("POST /v0/files/{made.id}/presigned-url", {
      body: packed({}),
      ...refusal,
    }),
  });

  test("before it has arrived", async () => {
    const own = await stage.ownDrive();
    const never = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const answer = await own.client.send("POST", "/v0/keys", { body: never, headers });
    expect(answer.status).toBe(415);
  });

  runScenarios(stage, {
    POST: [
      step("POST /v0/keys", { body: packed({ name: "k" }), ...refusal }),
      step("GET /v0/keys", { json: [{ drive_id: "{drive}" }] }),
    ],
    DELETE: [
      put("d/f.txt"),
      step("DELETE /v0/folders", { body: packed({ drive_id: "x", path: "d/" }), ...refusal }),
      holds("d/f.txt"),
    ],
    "nobody's": step("nobody POST /v0/drives/provision", { body: packed({ name: "D" }), ...refusal }),

    "what reads no body does not look at it": [
      whole,
      step("GET /v0/files/{made.id}", { headers, json: { id: "{made.id}" } }),
    ],
  });
});
