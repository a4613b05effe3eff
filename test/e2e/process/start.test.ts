import { expect, test } from "bun:test";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { provision, refusedStart, run, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

type FileAnswer = { readonly id: string };

test("the first start makes the data directory, for its user alone, and says where it serves", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const dataDir = join(place.path, "deep/down/data");
  await using server = await serve({ dataDir });
  const [line = ""] = (await server.stdout.until(/^.*\n/)) ?? [];
  expect(JSON.parse(line)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "info",
    message: "coffer is ready",
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    url: `http://localhost:${server.port}`,
    data_dir: dataDir,
    // It listens on this machine alone.
    addresses: [],
    next: [expect.stringContaining("/v0/drives/provision"), expect.stringContaining("/docs")],
  });
  for (const name of ["", "coffer.db", "lock", "blobs", "tmp"]) {
    expect([name, (await stat(join(dataDir, name))).mode & 0o077]).toEqual([name, 0]);
  }
});

test.each([
  ["/healthz", { status: "ok" }],
  ["/readyz", { status: "ok", scrub: { progress: 0, finished_at: null, damaged: 0 } }],
])("%s answers without a key", async (path, answer) => {
  await using server = await serve();
  expect(await server.client().get<object>(path)).toEqual(answer);
});

test("every problem of the configuration is listed at once, and nothing is made", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { code, stdout, stderr } = await run(["serve", "--max-file-size", "huge"], {
    env: {
      COFFER_DATA_DIR: place.dataDir,
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
  expect(await Bun.file(join(place.dataDir, "coffer.db")).exists()).toBe(false);
});

test("a port that is taken stops the start with one line that names it", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using first = await serve();
  const env = { COFFER_HOST: "127.0.0.1", COFFER_PORT: String(first.port) };
  expect(await refusedStart({ dataDir: place.path, env })).toContain(String(first.port));
});

test("a second server on the same data directory is refused, and the first goes on", async () => {
  await using first = await serve();
  const { client, drive } = await provision(first);
  expect(await refusedStart({ dataDir: first.dataDir })).toContain(`in use by process ${first.pid} `);
  await client.put(drive, "still-here.txt", "yes");
});

test.each([
  ["stopped", "data", "stop"],
  ["killed", "data", "kill"],
  ["stopped and moved elsewhere", "moved/to/data", "stop"],
] as const)("a server that was %s has everything when it starts again", async (_, then, how) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const content = crypto.getRandomValues(new Uint8Array(60_000));
  await using first = await serve(place);
  const { key, drive, client: before } = await provision(first);
  const file = await before.put<FileAnswer>(drive, "a/b/c.bin", content);
  if (how === "stop") expect(await first.stop()).toBe(0);
  await first.kill();
  await mkdir(join(place.path, "moved/to"), { recursive: true });
  await rename(place.dataDir, join(place.path, then));
  await using server = await serve({ dataDir: join(place.path, then) });
  const client = server.client(key);
  expect(await client.get<FileAnswer>(`/v0/files/${file.id}`)).toEqual(file);
  const download = await client.fetch("GET", `/v0/files/${file.id}/download`);
  expect(Buffer.from(await download.bytes()).equals(content)).toBe(true);
  const { data } = await client.get<{ data: { file_count: number; total_size: number } }>(
    `/v0/drives/${drive}`,
  );
  expect([data.file_count, data.total_size]).toEqual([1, content.length]);
});

test("what lies in the working directory changes nothing", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const marker = join(place.path, "preloaded");
  await writeFile(join(place.path, "preload.ts"), `await Bun.write(${JSON.stringify(marker)}, "")`);
  await writeFile(join(place.path, "bunfig.toml"), 'preload = ["./preload.ts"]\nlogLevel = "debug"\n');
  await writeFile(join(place.path, ".env"), "COFFER_PROVISIONING=off\nCOFFER_NONSENSE=1\n");
  await writeFile(join(place.path, "package.json"), '{"name": "other", "version": "9.9.9"}');
  await writeFile(join(place.path, "tsconfig.json"), "{ not even JSON");
  await using server = await serve({ dataDir: place.dataDir, cwd: place.path });
  await provision(server);
  expect(await Bun.file(marker).exists()).toBe(false);
  await server.stop();
  expect(server.stderr.text).toMatch(
    /^There is no administrator yet\.[^]*until there is an administrator\.\n$/,
  );
});
