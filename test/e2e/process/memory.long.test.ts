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

/** Sends a body piece by piece; the answer. */
async function sendIn(server: Server, { key }: Agent, request: string, pieces: (string | Buffer)[]) {
  const raw = await RawClient.to(server.port);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  await raw.write(
    `${request} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  for (const piece of pieces) await raw.write(piece);
  const answer = await raw.response();
  raw.close();
  return answer;
}

async function uploadLarge(
  server: Server,
  agent: Agent,
  path: string,
): Promise<{ status: number; size: unknown }> {
  const head = `{"drive_id":"${agent.drive}","filename":"large.bin","path":"${path}","content":"`;
  const pieces = Array<Buffer>(FILE_BYTES / PIECE_BYTES).fill(Buffer.from(BASE64_PIECE));
  const { status, body } = await sendIn(server, agent, "POST /v0/files", [head, ...pieces, '"}']);
  return { status, size: body instanceof Object && "size" in body ? body.size : body };
}

test("a client that does not read its download of 300 MiB costs no memory, and gets all of it in the end", async () => {
  await using place = await temporaryDirectory();
  await using server = await serve(place);
  const agent = await signUp(server, "ada");
  const piece = Buffer.from(PIECE);
  const pieces = Array<Buffer>(Math.floor((300 * MIB) / piece.length)).fill(piece);
  const digest = createHash("sha256");
  for (const each of pieces) digest.update(each);
  const target = `PUT /v0/files?drive_id=${agent.drive}&path=huge.bin`;
  const { body } = await sendIn(server, agent, target, pieces);
  const id = body instanceof Object && "id" in body ? String(body.id) : "none";
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
