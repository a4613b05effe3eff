import { describe, expect, test } from "bun:test";
import { RawClient } from "../../http/raw-client.ts";
import { openStage, type OwnDrive } from "../../support/server/scenario.ts";

const MIB = 1024 * 1024;
const stage = openStage({ "max-file-size": "100MiB" });
const port = () => Number(new URL(stage.coffer.appliance.url).port);

interface Refusal {
  readonly name: string;
  /** Method and target. */
  readonly target: (drive: OwnDrive) => string;
  readonly headers?: string;
  readonly key?: string;
  readonly body: string;
  readonly status: number;
  readonly code: string;
}

const FIVE_MB = "A".repeat(5_000_000);
const FORM = 'x\r\nContent-Disposition: form-data; name="';

const REFUSALS: readonly Refusal[] = [
  {
    name: "raw bytes to an unknown drive",
    target: () => "PUT /v0/files?drive_id=nobodys&path=a",
    body: FIVE_MB,
    status: 404,
    code: "NOT_FOUND",
  },
  {
    name: "without a key",
    target: ({ id }) => `PUT /v0/files?drive_id=${id}&path=a`,
    key: "none",
    body: FIVE_MB,
    status: 401,
    code: "UNAUTHORIZED",
  },
  {
    name: "JSON over the limit",
    target: () => "POST /v0/folders",
    body: FIVE_MB,
    status: 413,
    code: "PAYLOAD_TOO_LARGE",
  },
  {
    name: "a method that is not allowed",
    target: () => "PUT /v0/folders",
    body: FIVE_MB,
    status: 405,
    code: "METHOD_NOT_ALLOWED",
  },
  {
    name: "base64 that goes wrong early",
    target: () => "POST /v0/files",
    body: `{"filename":"a","content":"AAAA*${FIVE_MB}"}`,
    status: 400,
    code: "VALIDATION_ERROR",
  },
  {
    name: "a form that goes wrong early",
    target: () => "POST /v0/files",
    headers: "Content-Type: multipart/form-data; boundary=x\r\n",
    body: `--${FORM}path"\r\n\r\na\r\n--${FORM}path"\r\n\r\nb\r\n--${FORM}file"\r\n\r\n${FIVE_MB}\r\n--x--\r\n`,
    status: 400,
    code: "VALIDATION_ERROR",
  },
  {
    name: "a form without a boundary",
    target: () => "POST /v0/files",
    headers: "Content-Type: multipart/form-data\r\n",
    body: FIVE_MB,
    status: 400,
    code: "VALIDATION_ERROR",
  },
];

const FRAMINGS = {
  "an announced length": (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  chunks: (body: string) =>
    `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
};

for (const [framing, frame] of Object.entries(FRAMINGS)) {
  describe(`a client that writes 5 MB with ${framing} before it reads gets its refusal whole`, () => {
    for (const { name, target, headers = "", key, body, status, code } of REFUSALS) {
      for (const connection of ["close", "keep-alive"]) {
        test(`${name}, Connection: ${connection}`, async () => {
          const drive = await stage.ownDrive();
          const client = await RawClient.to(port());
          client.socket.pause();
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
  while (!client.isClosed && sent < 200) {
    await client.write(piece);
    sent++;
  }
  // The bound, and what the system's buffers hold.
  expect(sent).toBeWithin(64, 100);
});
