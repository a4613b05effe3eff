import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { RawClient } from "../../http/raw-client.ts";
import { accountClient, addAccount } from "../../support/server/accounts.ts";
import { linkUpload } from "../../support/server/targets.ts";
import { eventually, openStage, type OwnDrive } from "../../support/server/scenario.ts";

const MIB = 1024 * 1024;
const stage = openStage({ "storage-limits": "free=1MiB,team=1MiB", "min-upload-speed": "100KiB" });

/** More than a short body has, so there is a temporary file. */
const START = "x".repeat(300_000);

const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await noneArrives();
});

/** Begins an upload; waits until as many contents as `arriving` are on the disk, if it is given. */
async function begin(head: string, start: string, arriving?: number): Promise<RawClient> {
  const client = await RawClient.to(Number(new URL(stage.coffer.appliance.url).port));
  clients.push(client);
  await client.write(`${head}\r\nHost: x\r\n\r\n${start}`);
  if (arriving !== undefined) await eventually(async () => (await stage.onDisk()).tmp.length === arriving);
  return client;
}

/** The bytes of contents that are on the disk while they arrive. */
async function arrived(): Promise<number> {
  const { tmp } = await stage.onDisk();
  const sizes = tmp.map((name) => Bun.file(join(stage.coffer.dataDir, "tmp", name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

const headers = (key: string, bytes: number) => `Authorization: Bearer ${key}\r\nContent-Length: ${bytes}`;

function putHead({ id, key }: Pick<OwnDrive, "id" | "key">, path: string, bytes: number): string {
  return `PUT /v0/files?drive_id=${id}&path=${path} HTTP/1.1\r\n${headers(key, bytes)}`;
}

function chunk(bytes: number): string {
  return `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
}

async function expectFull(client: RawClient): Promise<void> {
  expect(await client.response()).toMatchObject({ status: 403, body: { error: { code: "QUOTA_EXCEEDED" } } });
}

/** A drive of an account that may store 1 MiB. */
async function limitedDrive() {
  const username = `u${crypto.randomUUID().slice(0, 8)}`;
  addAccount(stage.coffer, username);
  const client = await accountClient(stage.coffer, username);
  const { id } = await client.makeDrive("A");
  const upload = (path: string, bytes: number) =>
    client.status("PUT", `/v0/files?drive_id=${id}&path=${path}`, { body: new Uint8Array(bytes) });
  return { id, key: client.key ?? "", client, upload };
}

const noneArrives = () => eventually(async () => (await stage.onDisk()).tmp.length === 0);

describe("what is arriving counts as stored", () => {
  test("announced bytes, before one of them is read; and no more once its client has left", async () => {
    const drive = await stage.ownDrive();
    const first = await begin(putHead(drive, "1", 94 * MIB), START, 1);
    await expectFull(await begin(putHead(drive, "2", 94 * MIB), ""));
    first.close();
    await noneArrives();
    await begin(putHead(drive, "2", 94 * MIB), START, 1);
  });

  test("all drives of an account together, also beside what is stored", async () => {
    const drive = await limitedDrive();
    expect(await drive.upload("stored", 500_000)).toBe(201);
    await begin(putHead(drive, "1", 400_000), START, 1);
    await expectFull(await begin(putHead(drive, "2", 400_000), ""));
    expect(await drive.upload("3", 100_000)).toBe(201);
  });

  test("a file that is replaced leaves room for the new one", async () => {
    const drive = await limitedDrive();
    expect(await drive.upload("a", 1_000_000)).toBe(201);
    expect(await drive.upload("a", 1_040_000)).toBe(200);
    expect(await drive.upload("b", 40_000)).toBe(403);
  });

  test("bytes that were not announced, as they come", async () => {
    const drive = await limitedDrive();
    const chunked = (path: string) =>
      `PUT /v0/files?drive_id=${drive.id}&path=${path} HTTP/1.1\r\nAuthorization: Bearer ${drive.key}\r\nTransfer-Encoding: chunked`;
    await begin(chunked("1"), chunk(600_000), 1);
    const second = await begin(chunked("2"), chunk(300_000), 2);
    await second.write(chunk(300_000));
    await expectFull(second);
  });

  test("in JSON, in a form, and by a link", async () => {
    const drive = await limitedDrive();
    const link = await linkUpload(drive.client, drive.id, "linked");
    const head = `POST /v0/files HTTP/1.1\r\n${headers(drive.key, 2_000_000)}`;
    const start = `{"drive_id":"${drive.id}","filename":"j","content":"${"A".repeat(1_200_000)}`;
    const json = await begin(head, start, 1);
    // As much of it has been counted by then.
    await eventually(async () => (await arrived()) > 560_000);
    const linked = `PUT /v0/uploads/${link} HTTP/1.1\r\nContent-Length: 500000`;
    await expectFull(await begin(linked, ""));
    const part = `--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n${"x".repeat(500_000)}`;
    await expectFull(await begin(`${head}\r\nContent-Type: multipart/form-data; boundary=x`, part));
    json.close();
    await noneArrives();
    expect(await drive.upload("1", 1_000_000)).toBe(201);
  });
});

test("one key may have 64 long uploads under way, and any number of short ones", async () => {
  const drive = await stage.ownDrive();
  for (let n = 0; n < 64; n++) await begin(putHead(drive, `${n}`, 100_000), "x");
  let refusal: Awaited<ReturnType<RawClient["response"]>> | undefined;
  await eventually(async () => {
    // Until all of them have begun, one more may as well.
    const more = await begin(putHead(drive, "more", 100_000), "x");
    refusal = await Promise.race([more.response(), Bun.sleep(100).then(() => undefined)]);
    more.close();
    return refusal !== undefined;
  });
  expect(refusal).toMatchObject({ status: 429, body: { error: { code: "RATE_LIMITED" } } });
  expect(refusal?.headers.get("retry-after")).toBe("1");
  const short = await begin(putHead(drive, "short", 5), "Hello");
  expect(await short.response()).toMatchObject({ status: 201 });
  const other = await stage.ownDrive();
  const elsewhere = await begin(putHead(other, "a", 100_000), "x".repeat(100_000));
  expect((await elsewhere.response()).status).toBe(429);
});

/** Who sends a content of 94 MiB, how their upload begins, and what shuts them out. */
const SHUT_OUT: readonly (readonly [
  who: string,
  begins: (drive: string, key: string) => string | Promise<string>,
  status: number,
])[] = [
  ["with a key", (id, key) => putHead({ id, key }, "held", 94 * MIB), 401],
  [
    "with a key, in JSON",
    (_, key) => `POST /v0/files HTTP/1.1\r\nContent-Type: application/json\r\n${headers(key, 94 * MIB)}`,
    401,
  ],
  [
    "with a link that a key made",
    async (id, key) => {
      const link = await linkUpload(stage.coffer.client(key), id, "held");
      return `PUT /v0/uploads/${link} HTTP/1.1\r\nContent-Length: ${94 * MIB}`;
    },
    404,
  ],
];

test.each(SHUT_OUT)(
  "what arrives from somebody %s ends soon after that was revoked",
  async (_, begins, status) => {
    const drive = await stage.ownDrive();
    const made = await drive.client.makeKey();
    const held = await begin(await begins(drive.id, made.key), `{"text":"${START}`, 1);
    stage.coffer.clock.advance(1000);
    await held.write(START);
    await drive.client.delete(`/v0/keys/${made.id}`);
    stage.coffer.clock.advance(1000);
    await held.write("x");
    expect((await held.response()).status).toBe(status);
    await noneArrives();
    // There is room again.
    await begin(putHead(drive, "mine", 94 * MIB), START, 1);
  },
);

test("what arrives from a member ends soon after they are one no more", async () => {
  const { clients: people, drives, carol } = stage.world;
  const members = `/v0/drives/${drives.ada}/members/${carol}`;
  await people.ada.patch(members, { role: "editor" });
  const carols = { id: drives.ada, key: people.carol.key ?? "" };
  const held = await begin(putHead(carols, "held", 500_000), START, 1);
  await people.ada.delete(members);
  stage.coffer.clock.advance(1000);
  await held.write("x");
  expect((await held.response()).status).toBe(404);
});

test("an upload that drips is ended, and leaves nothing", async () => {
  const drive = await stage.ownDrive();
  const slow = await begin(putHead(drive, "slow", 90 * MIB), START, 1);
  stage.coffer.clock.advance(60_000);
  await slow.write("x");
  const answer = await slow.response();
  expect(answer).toMatchObject({ status: 408, body: { error: { code: "REQUEST_TIMEOUT" } } });
  expect(answer.headers.get("connection")).toBe("close");
  await noneArrives();
  await slow.until(/never/);
  await begin(putHead(drive, "next", 90 * MIB), START, 1);
});
