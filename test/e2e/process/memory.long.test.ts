import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RawClient } from "../../http/raw-client.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { systemUnzipTest, ZipReader } from "../../support/samples/unzip.ts";
import { type Agent, type Server, serve, signUp } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const MIB = 1024 * 1024;
const PIECE = crypto.getRandomValues(new Uint8Array(64 * 1024)).toBase64();

/** A server on a disk, with somebody who has an account. */
async function start() {
  const opened = new AsyncDisposableStack();
  const place = opened.use(await temporaryDirectory());
  const server = opened.use(await serve(place));
  const agent = await signUp(server, "ada");
  return { place, server, agent, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Sends a body piece by piece; the answer. */
async function sendIn(
  server: Server,
  { key }: Agent,
  request: string,
  pieces: (string | Buffer)[],
  type?: string,
) {
  const raw = await RawClient.to(server.port);
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const typed = type === undefined ? "" : `Content-Type: ${type}\r\n`;
  await raw.write(
    `${request} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${typed}Content-Length: ${length}\r\n\r\n`,
  );
  for (const piece of pieces) await raw.write(piece);
  const answer = await raw.response();
  raw.close();
  return answer;
}

// Each file is 100 MiB: base64 of many pieces that need no padding within.
const PIECE_BYTES = 48 * 1024;
const BASE64_PIECE = Buffer.from(PIECE.slice(0, (PIECE_BYTES / 3) * 4));
const FILE_BYTES = 100 * MIB - ((100 * MIB) % PIECE_BYTES);

test("eight files of 100 MiB, uploaded at once as base64 in JSON, take less than 150 MB of memory", async () => {
  await using t = await start();
  const pieces = Array<Buffer>(FILE_BYTES / PIECE_BYTES).fill(BASE64_PIECE);
  const uploads = Array.from({ length: 8 }, (_, n) => {
    const head = `{"drive_id":"${t.agent.drive}","path":"${n}.bin","content":"`;
    return sendIn(t.server, t.agent, "POST /v0/files", [head, ...pieces, '"}']);
  });
  for (const answer of await Promise.all(uploads))
    expect(answer).toMatchObject({ status: 201, body: { size: FILE_BYTES } });
  expect((await t.server.peakMemory()) / 1e6).toBeLessThan(150);
});

test("four of the largest batches at once, of long lines and of short ones, take less than 300 MB of memory", async () => {
  await using t = await start();
  const long = Array.from(
    { length: 60 },
    (_, n) => `{"path":"long/${n}","text":"${"x".repeat(MIB - 100)}"}\n`,
  );
  const short = Array.from(
    { length: 1000 },
    (_, n) => `{"path":"short/${n}","text":"${"x".repeat(60_000)}"}\n`,
  );
  const batches = [long, short, long, short].map((lines, n) =>
    sendIn(
      t.server,
      t.agent,
      `POST /v0/files/batch?drive_id=${t.agent.drive}&prefix=${n}&atomic=true`,
      lines,
      "application/jsonl",
    ),
  );
  for (const [n, answer] of (await Promise.all(batches)).entries())
    expect(answer).toMatchObject({ status: 200, body: { created: n % 2 === 0 ? 60 : 1000, failed: 0 } });
  expect((await t.server.peakMemory()) / 1e6).toBeLessThan(300);
});

/** Downloads to a file, piece by piece, and stops itself before the first; prints the status. */
const READER = `
  const [url, key, path] = process.argv.slice(-3);
  const response = await fetch(url, { headers: { authorization: "Bearer " + key } });
  process.kill(process.pid, "SIGSTOP");
  const file = Bun.file(path).writer();
  for await (const piece of response.body) { file.write(piece); await file.flush(); }
  await file.end();
  process.stdout.write(String(response.status));`;

/** Downloads what is at a path with a client that does not read, and then reads all of it. Where that was saved. */
async function readLate(
  { place, server, agent }: Awaited<ReturnType<typeof start>>,
  {
    path,
    route,
    whileStopped,
    inAll,
  }: Record<"path" | "route", string> & Record<"whileStopped" | "inAll", number>,
): Promise<string> {
  const before = await server.peakMemory();
  const added = async () => ((await server.peakMemory()) - before) / MIB;
  const saved = join(place.path, "saved");
  const command = [process.execPath, "-e", READER, server.url + path, agent.key, saved];
  // One that is stopped takes no other signal.
  await using reader = Bun.spawn(command, { stdout: "pipe", stderr: "inherit", killSignal: "SIGKILL" });
  await server.stdout.until(new RegExp(`"route":"${route}"`));
  await eventually(() => /^State:\s+T/m.test(readFileSync(`/proc/${reader.pid}/status`, "utf8")));
  // As long as it takes the server to answer these, it could be reading ahead.
  for (let n = 0; n < 2000; n++) await agent.client.get("/healthz");
  expect(await added()).toBeLessThan(whileStopped);
  expect(reader.exitCode).toBeNull();
  reader.kill("SIGCONT");
  expect(await reader.stdout.text()).toBe("200");
  expect(await added()).toBeLessThan(inAll);
  return saved;
}

test("a client that does not read its download of 300 MiB costs no memory, and gets all of it in the end", async () => {
  await using t = await start();
  const pieces = Array<Buffer>(Math.floor((300 * MIB) / PIECE.length)).fill(Buffer.from(PIECE));
  const target = `PUT /v0/files?drive_id=${t.agent.drive}&path=huge.bin`;
  const { body } = await sendIn(t.server, t.agent, target, pieces);
  const id = body instanceof Object && "id" in body ? String(body.id) : "none";
  const route = "/v0/files/:id/download";
  const limits = { whileStopped: 30, inAll: 50 };
  const saved = await readLate(t, { path: `/v0/files/${id}/download`, route, ...limits });
  const digest = new Bun.CryptoHasher("sha256");
  for (const piece of pieces) digest.update(piece);
  const found = new Bun.CryptoHasher("sha256");
  for await (const piece of Bun.file(saved).stream()) found.update(piece);
  expect(found.digest("hex")).toBe(digest.digest("hex"));
});

const SMALL_FILES = 50_000;
const LARGE = Buffer.alloc(250 * MIB, "a large file, of which a client that does not read gets no more ");

test("an archive of a large file and 50,000 small ones takes no memory to speak of, however slowly it is read", async () => {
  await using t = await start();
  const { client, drive } = t.agent;
  await client.put(drive, "a-large", LARGE);
  const small = await client.put(drive, "small", Buffer.from("Hello World!"));
  await addManyFiles(t.place.dataDir, small.id, SMALL_FILES);
  const route = "/v0/archive";
  const limits = { whileStopped: 60, inAll: 100 };
  const saved = await readLate(t, { path: `${route}?drive_id=${drive}`, route, ...limits });
  expect([0, null]).toContain(systemUnzipTest(saved));
  using zip = await ZipReader.of(saved);
  expect(zip.entries.map(({ name }) => name).slice(0, 3)).toEqual(["a-large", "many/", "many/0000001.txt"]);
  expect(zip.entries).toHaveLength(SMALL_FILES + 3);
  const [large] = zip.entries;
  expect(large !== undefined && zip.content(large).equals(LARGE)).toBe(true);
});
