import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { RawClient } from "../../http/raw-client.ts";
import { type Agent, type Server, serve, signUp } from "../../support/server/executable.ts";
import { isStopped } from "../../support/faults/stopped-process.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const MIB = 1024 * 1024;
const PIECE = crypto.getRandomValues(new Uint8Array(64 * 1024)).toBase64();

// Each file is 100 MiB: base64 of many pieces that need no padding within.
const PIECE_BYTES = 48 * 1024;
const BASE64_PIECE = PIECE.slice(0, (PIECE_BYTES / 3) * 4);
const FILE_BYTES = 100 * MIB - ((100 * MIB) % PIECE_BYTES);

test("eight files of 100 MiB, uploaded at once as base64 in JSON, take less than 150 MB of memory", async () => {
  await using place = await temporaryDirectory();
  await using server = await serve(place);
  const agent = await signUp(server, "ada");
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => uploadLarge(server, agent, `${n}.bin`)),
  );
  expect(answers).toEqual(Array.from({ length: 8 }, () => ({ status: 201, size: FILE_BYTES })));
  expect((await server.peakMemory()) / 1e6).toBeLessThan(150);
});

async function uploadLarge(
  server: Server,
  { key, drive }: Agent,
  path: string,
): Promise<{ status: number; size: unknown }> {
  const raw = await RawClient.to(server.port);
  const head = `{"drive_id":"${drive}","filename":"large.bin","path":"${path}","content":"`;
  const pieces = FILE_BYTES / PIECE_BYTES;
  await raw.write(
    `POST /v0/files HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n` +
      `Content-Length: ${head.length + pieces * BASE64_PIECE.length + 2}\r\n\r\n${head}`,
  );
  const piece = Buffer.from(BASE64_PIECE);
  for (let n = 0; n < pieces; n++) await raw.write(piece);
  await raw.write('"}');
  const { status, body } = await raw.response();
  raw.close();
  return { status, size: body instanceof Object && "size" in body ? body.size : body };
}

test("a client that does not read its download of 300 MiB costs no memory, and gets all of it in the end", async () => {
  await using place = await temporaryDirectory();
  await using server = await serve(place);
  const agent = await signUp(server, "ada");
  const piece = Buffer.from(PIECE);
  const size = 300 * MIB - ((300 * MIB) % piece.length);
  const digest = createHash("sha256");
  const id = await putLarge(server, agent, piece, size, digest);
  const before = await server.peakMemory();

  const reader = Bun.spawn(
    [process.execPath, "-e", READER, `${server.url}/v0/files/${id}/download`, agent.key],
    { stdout: "pipe", stderr: "inherit" },
  );
  await server.stdout.until(/"route":"\/v0\/files\/:id\/download"/);
  await isStopped(reader);
  // As long as it takes the server to answer this many others, it could be reading the file ahead.
  for (let n = 0; n < 2000; n++) await agent.client.get(`/v0/drives/${agent.drive}`);
  expect(((await server.peakMemory()) - before) / MIB).toBeLessThan(30);
  expect(reader.exitCode).toBeNull();
  reader.kill("SIGCONT");
  expect(await reader.stdout.text()).toBe(`200 ${digest.digest("hex")}`);
  expect(((await server.peakMemory()) - before) / MIB).toBeLessThan(50);
});

/** Downloads a file piece by piece, and stops itself before the first; prints the status and the hash of what came. */
const READER = `
  const [url, key] = process.argv.slice(-2);
  const response = await fetch(url, { headers: { authorization: "Bearer " + key } });
  process.kill(process.pid, "SIGSTOP");
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of response.body) hash.update(piece);
  process.stdout.write(response.status + " " + hash.digest("hex"));`;

/** Uploads `size` bytes as they are: `piece` again and again. Feeds them to `digest` and gives the file's id. */
async function putLarge(
  server: Server,
  { key, drive }: Agent,
  piece: Buffer,
  size: number,
  digest: ReturnType<typeof createHash>,
): Promise<string> {
  const raw = await RawClient.to(server.port);
  await raw.write(
    `PUT /v0/files?drive_id=${drive}&path=huge.bin HTTP/1.1\r\nHost: localhost\r\n` +
      `Authorization: Bearer ${key}\r\nContent-Length: ${size}\r\n\r\n`,
  );
  for (let sent = 0; sent < size; sent += piece.length) {
    digest.update(piece);
    await raw.write(piece);
  }
  const { body } = await raw.response();
  raw.close();
  if (body instanceof Object && "id" in body && typeof body.id === "string") return body.id;
  throw new Error(`the upload was answered with ${JSON.stringify(body)}`);
}
