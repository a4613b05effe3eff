import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import { openStage, type OwnDrive } from "../../support/server/scenario.ts";

const MIB = 1024 * 1024;
const stage = openStage({ "max-file-size": "100MiB" });
const port = () => Number(new URL(stage.coffer.appliance.url).port);

type Refusal = readonly [
  name: string,
  /** Method and target. */
  target: (drive: OwnDrive) => string,
  body: string,
  status: number,
  code: string,
  more?: { readonly type?: string; readonly key?: string },
];

const FIVE_MB = "A".repeat(5_000_000);
const PART = 'x\r\nContent-Disposition: form-data; name="';
const IN_FORM = `--${PART}path"\r\n\r\na\r\n--${PART}path"\r\n\r\nb\r\n--${PART}file"\r\n\r\n${FIVE_MB}\r\n--x--\r\n`;
const IN_JSON = `{"filename":"a","content":"AAAA*${FIVE_MB}"}`;
const UPLOAD = () => "POST /v0/files";
const toDrive = ({ id }: Pick<OwnDrive, "id">) => `PUT /v0/files?drive_id=${id}&path=a`;
const FORM = "multipart/form-data";

const REFUSALS: readonly Refusal[] = [
  ["raw bytes to an unknown drive", () => toDrive({ id: "nobodys" }), FIVE_MB, 404, "NOT_FOUND"],
  ["without a key", toDrive, FIVE_MB, 401, "UNAUTHORIZED", { key: "none" }],
  ["JSON over the limit", () => "POST /v0/folders", FIVE_MB, 413, "PAYLOAD_TOO_LARGE"],
  ["a method that is not allowed", () => "PUT /v0/folders", FIVE_MB, 405, "METHOD_NOT_ALLOWED"],
  ["base64 that goes wrong early", UPLOAD, IN_JSON, 400, "VALIDATION_ERROR"],
  ["a form that goes wrong early", UPLOAD, IN_FORM, 400, "VALIDATION_ERROR", { type: `${FORM}; boundary=x` }],
  ["a form without a boundary", UPLOAD, FIVE_MB, 400, "VALIDATION_ERROR", { type: FORM }],
];

const FRAMINGS = {
  "an announced length": (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  chunks: (body: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
};

for (const [framing, frame] of Object.entries(FRAMINGS)) {
  describe(`a client that writes 5 MB with ${framing} before it reads gets its refusal whole`, () => {
    for (const [name, target, body, status, code, { type, key } = {}] of REFUSALS) {
      for (const connection of ["close", "keep-alive"]) {
        test(`${name}, Connection: ${connection}`, async () => {
          const drive = await stage.ownDrive();
          const client = await RawClient.to(port());
          client.socket.pause();
          const headers = type === undefined ? "" : `Content-Type: ${type}\r\n`;
          const head = `${target(drive)} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n${headers}Authorization: Bearer ${key ?? drive.key}\r\n`;
          await client.write(head + frame(body));
          client.socket.resume();
          expect(await client.response()).toMatchObject({ status, body: { error: { code } } });
          if (connection === "keep-alive") {
            await client.write(
              `GET /v0/drives HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${drive.key}\r\n\r\n`,
            );
            expect((await client.response()).status).toBe(200);
          }
          client.close();
          expect((await stage.onDisk()).tmp).toEqual([]);
        });
      }
    }
  });
}

test("a body that announces far more than is read for nothing is refused at once", async () => {
  const client = await RawClient.to(port());
  await client.write(
    `PUT /v0/files?drive_id=x&path=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${65 * MIB}\r\n\r\n`,
  );
  const { status, headers } = await client.response();
  expect([status, headers.get("connection")]).toEqual([401, "close"]);
  // Nothing follows: it is closed.
  expect(await client.until(/never/)).toBe("");
});

test("a body without an end is read up to a bound, and the connection closed", async () => {
  const client = await RawClient.to(port());
  await client.write(
    `PUT /v0/files?drive_id=x&path=a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const piece = `${MIB.toString(16)}\r\n${"x".repeat(MIB)}\r\n`;
  let sent = 0;
  for (; !client.isClosed && sent < 200; sent += 1) await client.write(piece);
  // The bound, and what the system's buffers hold.
  expect(sent).toBeWithin(64, 100);
});
