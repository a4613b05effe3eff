import { expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { filesIn, newContent } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { provision, run, serve } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const LARGE = 100_000;
/** Too long for the buffers of a connection. */
const LONG = 24 * 1024 * 1024;

test("a disk is left out, its contents are read there and moved beside the server, and it can be taken out", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { dataDir } = place;
  const [a, b] = [join(place.path, "a"), join(place.path, "b")];
  for (const disk of [a, b]) await mkdir(disk);
  const env = { COFFER_SWEEP_INTERVAL: "10ms" };
  const first = await serve({ dataDir, env: { ...env, COFFER_BLOBS: a } });
  const { drive, key } = await provision(first);
  const contents = new Map(["1.bin", "2.bin", "3.bin"].map((path) => [path, newContent(LARGE)]));
  const long = newContent(LONG);
  contents.set("long.bin", long);
  for (const [path, bytes] of contents) await first.client(key).put(drive, path, bytes);
  expect(await first.stop()).toBe(0);

  await using server = await serve({ dataDir, env: { ...env, COFFER_BLOBS: b } });
  const client = server.client(key);
  const open = (path: string) =>
    client.fetch("GET", `/v0/files/by-path/download?drive_id=${drive}&path=${path}`);
  const requireAll = async () => {
    for (const [path, bytes] of contents) {
      const answer = await open(path);
      expect([path, answer.status, hashOf(await answer.bytes())]).toEqual([path, 200, hashOf(bytes)]);
    }
  };
  await requireAll();
  expect(server.stdout.text).toMatch(/still holds contents: .*coffer blobs migrate.*"disk":"[^"]*\/a"/);
  const added = newContent(LARGE);
  await client.put(drive, "added.bin", added);
  contents.set("added.bin", added);

  // A download that began before goes on to its end.
  const answer = await open("long.bin");
  const migrate = (...flags: string[]) => run(["blobs", "migrate", ...flags], { dataDir });
  const { code, stdout, stderr } = await migrate("--rate", "1GB");
  expect([code, stderr, stdout]).toEqual([
    0,
    "",
    expect.stringMatching(/^Copied: 4 .* MiB\); there before: 0; removed from their old place: 4\.\n$/),
  ]);
  expect(hashOf(await answer.bytes())).toBe(hashOf(long));
  expect([filesIn(a), filesIn(b).length]).toEqual([[], 5]);
  await requireAll();
  expect(await server.stdout.until(/holds no contents, and is forgotten/)).not.toBeNull();
  await rm(a, { recursive: true });
  await requireAll();
  await eventually(async () => (await server.client().fetch("GET", "/readyz")).status === 200);
  const verified = await run(["verify"], { dataDir });
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("findings: 0")]);
  expect((await migrate()).stdout).toBe("There is nothing to move.\n");
});
