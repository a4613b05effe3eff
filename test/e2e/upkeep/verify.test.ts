import { expect, test } from "bun:test";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileOf, filesIn } from "../../support/samples/contents.ts";
import { provision, run, type Server, serve } from "../../support/server/executable.ts";
import { runHere } from "../../support/server/run-here.ts";
import { Injection, NO_STRACE } from "../../support/faults/faults.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

test("verify beside a server: 0 for a whole store, 1 for findings, 2 if it cannot look, and a repair", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await using server = await serve({ dataDir: place.dataDir, env: { COFFER_SCRUB_INTERVAL: "100ms" } });
  const { client, drive } = await provision(server);
  const { id } = await client.put(drive, "notes/large.bin", new Uint8Array(100_000));
  expect(await runHere(["verify"], place.dataDir)).toEqual({
    code: 0,
    stdout: "contents: 1; bytes: 100000; repaired: 0; findings: 0\n",
    stderr: "",
  });
  const backup = join(place.path, "backup");
  await cp(place.dataDir, backup, { recursive: true });

  const [content] = filesIn(place.dataDir);
  if (content === undefined) throw new Error("there is no content");
  await writeFile(fileOf(place.dataDir, content.digest), new Uint8Array(100_000).fill(1));
  // The slow check finds it without being asked.
  const [line = ""] = (await server.stdout.until(/.*a content is damaged.*/)) ?? [];
  for (const part of [content.digest, drive, "notes/large.bin"]) expect(line).toContain(part);
  expect(await client.status("GET", `/v0/files/${id}/download`)).toBe(500);

  const found = await runHere(["verify"], place.dataDir);
  expect([found.code, found.stderr]).toEqual([
    1,
    "coffer: findings: 1. Repair contents with --repair-from and a backup, or upload the same files again.\n",
  ]);
  expect(found.stdout).toStartWith(
    `content-damaged ${content.digest} drive ${drive} path "notes/large.bin": `,
  );
  const asJson = await runHere(["verify", "--json"], place.dataDir);
  const events = asJson.stdout.trim().split("\n");
  expect(events.map((text) => JSON.parse(text))).toMatchObject([
    { kind: "finding", code: "content-damaged" },
    { kind: "summary", contents: 1, bytes: 100_000, repaired: 0, findings: 1 },
  ]);

  const repaired = await runHere(["verify", "--repair-from", backup], place.dataDir);
  expect([repaired.code, repaired.stdout.split(" ")[0]]).toEqual([0, "repaired"]);
  expect(await client.status("GET", `/v0/files/${id}/download`)).toBe(200);

  const refused = await runHere(["verify"], join(place.path, "nothing"));
  expect([refused.code, refused.stdout]).toEqual([2, ""]);
  expect(refused.stderr).toContain("is not a Coffer data directory");
  expect((await run(["verify", "--quik"], place)).code).toBe(2);
});

test.skipIf(NO_STRACE !== "").each([
  ["EIO", "read,pread64,preadv", /cannot be read from the disk/],
  ["EACCES", "?open,openat", /may not be read by this user/],
] as const)(
  withReason("a content that was not read (%s) is refused until the slow check can read it", NO_STRACE),
  async (error, calls, said) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const start = (interval: string) =>
      serve({ dataDir: place.dataDir, env: { COFFER_SCRUB_INTERVAL: interval } });
    await using first = await start("0s");
    const { client, drive, key } = await provision(first);
    const content = new Uint8Array(20_000);
    const { id } = await client.put(drive, "unread.bin", content);
    const digest = Bun.SHA256.hash(content, "hex");
    const file = `blobs/${digest.slice(0, 2)}/${digest}`;
    const download = (server: Server) => server.client(key).status("GET", `/v0/files/${id}/download`);
    await Injection.into(first, { calls, error, when: "1+", file });
    expect(await download(first)).toBe(500);
    expect(await first.stdout.until(said)).not.toBeNull();
    await first.stop();
    await using second = await start("0s");
    expect(await download(second)).toBe(500);
    await second.stop();
    await using server = await start("100ms");
    expect(await server.stdout.until(/a damaged content is whole again/)).not.toBeNull();
    expect(await download(server)).toBe(200);
  },
);
