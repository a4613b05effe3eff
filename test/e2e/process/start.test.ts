import { afterAll, expect, test } from "bun:test";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { RawClient } from "../../http/raw-client.ts";
import { freePort, provision, refusedStart, run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const place = await temporaryDirectory(FAST_DIRECTORY);
/** What it is asked by one test leaves nothing to another. */
const fresh = await serve({ dataDir: join(place.path, "deep/down/data") });
afterAll(async () => {
  await fresh[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

test("the first start makes the data directory, for its user alone, and says where it serves", async () => {
  const [line = ""] = (await fresh.stdout.until(/^.*\n/)) ?? [];
  expect(JSON.parse(line)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "info",
    message: "coffer is ready",
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    url: `http://localhost:${fresh.port}`,
    data_dir: fresh.dataDir,
    // It listens on this machine alone.
    addresses: [],
    next: [expect.stringContaining("/v0/drives/provision"), expect.stringContaining("/docs")],
  });
  for (const name of ["", "coffer.db", "lock", "blobs", "tmp"]) {
    expect([name, (await stat(join(fresh.dataDir, name))).mode & 0o077]).toEqual([name, 0]);
  }
});

test.each([
  ["/healthz", { status: "ok" }],
  ["/readyz", { status: "ok", scrub: { progress: 0, finished_at: null, damaged: 0 } }],
])("%s answers without a key", async (path, answer) => {
  expect(await fresh.client().get<object>(path)).toEqual(answer);
});

test("the executable itself refuses a head of 60 KB, which the runtime would answer without a body", async () => {
  const client = await RawClient.to(fresh.port);
  await client.write(`GET /healthz HTTP/1.1\r\nHost: n\r\nX-Long: ${"a".repeat(60_000)}\r\n\r\n`);
  expect(await client.response()).toMatchObject({
    status: 431,
    body: { error: { code: "HEADERS_TOO_LARGE", request_id: expect.any(String) } },
  });
  client.close();
});

function at(port: number): Record<string, string> {
  return { COFFER_HOST: "127.0.0.1", COFFER_PORT: String(port) };
}

test("healthcheck tells whether the server is well", async () => {
  expect(await run(["healthcheck"], { env: at(fresh.port) })).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await run(["healthcheck"], { env: at(freePort()) })).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^coffer: http:\S+ does not answer\.\n$/),
  });
});

test("a port that is taken stops the start with one line that names it", async () => {
  const dataDir = join(place.path, "other");
  expect(await refusedStart({ dataDir, env: at(fresh.port) })).toContain(String(fresh.port));
});

test("a second server on the same data directory is refused, and the first goes on", async () => {
  const { client, drive } = await provision(fresh);
  expect(await refusedStart({ dataDir: fresh.dataDir })).toContain(`in use by process ${fresh.pid} `);
  await client.put(drive, "still-here.txt", "yes");
});

test("every problem of the configuration is listed at once, and nothing is made", async () => {
  await using own = await temporaryDirectory(FAST_DIRECTORY);
  const { code, stdout, stderr } = await run(["serve", "--max-file-size", "huge"], {
    env: {
      COFFER_DATA_DIR: own.dataDir,
      COFFER_PORT: "70000",
      COFFER_SIGNUPS: "perhaps",
      COFFER_STORAGE_LIMIT: "free=1GB",
      // It overrides a protection, so it must be typed.
      COFFER_ADOPT_EMPTY: "1",
      COFFER_OIDC_CLIENT_SECRET: "s3cr3t-of-the-provider",
    },
  });
  expect([code, stdout]).toEqual([1, ""]);
  for (const named of [
    "--max-file-size",
    "COFFER_PORT",
    "COFFER_SIGNUPS",
    "COFFER_STORAGE_LIMIT is not a setting. Did you mean COFFER_STORAGE_LIMITS?",
    "COFFER_ADOPT_EMPTY is not a setting",
    "COFFER_OIDC_ISSUER",
  ]) {
    expect(stderr).toContain(named);
  }
  expect(stderr).not.toContain("s3cr3t");
  expect(stderr).not.toContain("    at ");
  expect(await Bun.file(join(own.dataDir, "coffer.db")).exists()).toBe(false);
});

test("a server that was stopped and moved elsewhere has everything when it starts again", async () => {
  await using own = await temporaryDirectory(FAST_DIRECTORY);
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  await using first = await serve(own);
  const { key, drive, client: before } = await provision(first);
  const file = await before.put<{ id: string }>(drive, "a/b/c.bin", content);
  const { data: counted } = await before.get<{ data: object }>(`/v0/drives/${drive}`);
  expect(counted).toMatchObject({ file_count: 1, total_size: content.length });
  expect(await first.stop()).toBe(0);
  const moved = join(own.path, "moved/to/data");
  await mkdir(dirname(moved), { recursive: true });
  await rename(own.dataDir, moved);
  await using server = await serve({ dataDir: moved });
  const client = server.client(key);
  expect(await client.get<object>(`/v0/files/${file.id}`)).toEqual(file);
  expect(await client.get<object>(`/v0/drives/${drive}`)).toEqual({ data: counted });
  const download = await client.fetch("GET", `/v0/files/${file.id}/download`);
  expect(Buffer.from(await download.bytes()).equals(content)).toBe(true);
});

test("what lies in the working directory changes nothing", async () => {
  await using own = await temporaryDirectory(FAST_DIRECTORY);
  const marker = join(own.path, "preloaded");
  await writeFile(join(own.path, "preload.ts"), `await Bun.write(${JSON.stringify(marker)}, "")`);
  await writeFile(join(own.path, "bunfig.toml"), 'preload = ["./preload.ts"]\nlogLevel = "debug"\n');
  await writeFile(join(own.path, ".env"), "COFFER_PROVISIONING=off\nCOFFER_NONSENSE=1\n");
  await writeFile(join(own.path, "package.json"), '{"name": "other", "version": "9.9.9"}');
  await writeFile(join(own.path, "tsconfig.json"), "{ not even JSON");
  await using server = await serve({ dataDir: own.dataDir, cwd: own.path });
  await provision(server);
  expect(await Bun.file(marker).exists()).toBe(false);
  await server.stop();
  expect(server.stderr.text).toMatch(
    /^There is no administrator yet\.[^]*until there is an administrator\.\n$/,
  );
});
