import { expect, test } from "bun:test";
import { join } from "node:path";
import { serve, signUp } from "../support/server/executable.ts";
import { addManyFiles } from "../support/samples/many-files.ts";
import { isStopped } from "../support/faults/stopped-process.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { systemUnzipTest, ZipReader } from "../support/samples/unzip.ts";

const MIB = 1024 * 1024;
const SMALL_FILES = 50_000;
const LARGE = Buffer.alloc(250 * MIB, "a large file, of which a client that does not read gets no more ");

/** Downloads to a file, piece by piece, and stops itself before the first; prints the status and the name. */
const READER = `
  const [url, key, path] = process.argv.slice(-3);
  const response = await fetch(url, { headers: { authorization: "Bearer " + key } });
  process.kill(process.pid, "SIGSTOP");
  const file = Bun.file(path).writer();
  for await (const piece of response.body) { file.write(piece); await file.flush(); }
  await file.end();
  process.stdout.write(response.status + " " + response.headers.get("content-disposition"));`;

test("an archive of a large file and 50,000 small ones takes no memory to speak of, however slowly it is read", async () => {
  await using place = await temporaryDirectory();
  await using server = await serve(place);
  const agent = await signUp(server, "ada");
  const put = (path: string, body: Buffer<ArrayBuffer>) => agent.client.put(agent.drive, path, body);
  await put("a-large", LARGE);
  const small = await put("small", Buffer.from("Hello World!"));
  await addManyFiles(place.dataDir, small.id, SMALL_FILES);
  const before = await server.peakMemory();

  const saved = join(place.path, "saved.zip");
  const url = `${server.url}/v0/archive?drive_id=${agent.drive}`;
  const reader = Bun.spawn([process.execPath, "-e", READER, url, agent.key, saved], {
    stdout: "pipe",
    stderr: "inherit",
  });
  await server.stdout.until(/"route":"\/v0\/archive"/);
  await isStopped(reader);
  // As long as it takes the server to answer these, it could be reading the files ahead.
  for (let n = 0; n < 1000; n += 1) await agent.client.send("GET", "/healthz");
  expect(((await server.peakMemory()) - before) / MIB).toBeLessThan(60);
  expect(reader.exitCode).toBeNull();
  reader.kill("SIGCONT");
  expect(await reader.stdout.text()).toBe(`200 attachment; filename="Files.zip"; filename*=UTF-8''Files.zip`);
  expect(((await server.peakMemory()) - before) / MIB).toBeLessThan(100);
  expect([0, null]).toContain(systemUnzipTest(saved));
  using zip = await ZipReader.of(saved);
  expect(zip.entries.map(({ name }) => name).slice(0, 3)).toEqual(["a-large", "many/", "many/0000001.txt"]);
  expect(zip.entries).toHaveLength(SMALL_FILES + 3);
  const [large] = zip.entries;
  expect(large !== undefined && zip.content(large).equals(LARGE)).toBe(true);
});
