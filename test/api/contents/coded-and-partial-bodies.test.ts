import { describe, expect, test } from "bun:test";
import { openStage, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { invalid, refused, type Step, step } from "../../support/server/steps.ts";
import { FORM_TYPE, formOf, holds, put } from "../../support/server/uploads.ts";

const stage = openStage();

const stored = { status: 201, json: { path: "f.txt", size: 8 } };
const json = { drive_id: "{drive}", filename: "f.txt", content: btoa("the tail") };
const form = formOf(['name="drive_id"', "{drive}"], ['name="file"; filename="f.txt"', "the tail"]);

/** The ways to upload over `f.txt`. */
const UPLOADS: readonly (readonly [name: string, upload: Step])[] = [
  ["PUT", put("f.txt", "the tail")],
  ["POST of JSON", step("POST /v0/files", { body: json, ...stored })],
  ["POST of a form", step("POST /v0/files", { body: form, headers: FORM_TYPE, ...stored })],
];
function sent(upload: Step, headers: Record<string, string>, expected: Partial<Step> = {}): Step {
  return { ...upload, ...expected, headers: { ...upload.headers, ...headers } };
}

const whole = put("f.txt", "the whole", { keeps: "made" });
const unchanged: readonly Step[] = [
  holds("f.txt"),
  step("GET /v0/files/{made.id}/download", { contains: [/^the whole$/] }),
];
function packed(body: object): Uint8Array<ArrayBuffer> {
  return Bun.gzipSync(JSON.stringify(body));
}

const CODED = { ...refused("UNSUPPORTED_MEDIA_TYPE"), receives: { "accept-encoding": "identity" } };

describe("an upload with a Content-Range does not put a part in the place of the whole", () => {
  const tail = put("f.txt", "the tail", { status: 200 });
  const part = { "content-range": "bytes 2-9/10" };
  const key = { "idempotency-key": "4b1d4a0e" };
  runAfter(stage, [whole], {
    "nor a range of the whole, nor one that is malformed": [
      sent(tail, { "content-range": "all of it" }, invalid("Content-Range")),
      ...unchanged,
    ],
    "nor under an Idempotency-Key, which stays free for the whole": [
      sent(tail, { ...part, ...key }, invalid("Content-Range")),
      ...unchanged,
      sent(tail, key),
    ],
  });
  runEach(stage, UPLOADS, ([name, upload]) => [
    name,
    whole,
    sent(upload, part, invalid("Content-Range")),
    ...unchanged,
  ]);
});

describe("a coded body is never stored as if it were the file", () => {
  const codings = ["gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip", "aws-chunked"];
  for (const [name, upload] of UPLOADS) {
    runEach(stage, codings, (coding) => [
      `${name}, ${coding}`,
      whole,
      sent(upload, { "content-encoding": coding }, CODED),
      ...unchanged,
    ]);
    runEach(stage, ["identity", "Identity", "identity,identity", ""], (coding) => [
      `${name}, "${coding}" is none`,
      sent(upload, { "content-encoding": coding }),
      holds("f.txt"),
    ]);
  }
});

describe("a coded JSON body is refused as what it is, not as malformed", () => {
  const headers = { "content-encoding": "gzip" };
  const refusal = { headers, ...CODED };
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
    expect(await own.client.status("POST", "/v0/keys", { body: never, headers })).toBe(415);
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
