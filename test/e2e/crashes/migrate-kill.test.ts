import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { contentOf } from "../../support/faults/faults.ts";
import { FileWriter } from "../../support/faults/mixed-load.ts";
import { ageOrphans, requireNothingLeft, temporariesIn } from "../../support/faults/nothing-left.ts";
import { verified } from "../../support/faults/verified.ts";
import { filesIn } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { Output, provision, serve } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";

const MIGRATION = join(import.meta.dir, "../../support/faults/migration-process.ts");
const WRITERS = 4;
/** Contents that stay, beside those that the writers make and remove. */
const KEPT = 80;
/** Bytes a second: slow enough for others to write meanwhile. */
const RATE = 8_000_000;
const KILLS = isThorough() ? 300 : 20;
/** A migration is killed after so many answers to others at most, since it began. */
const ANSWERS = 60;
/** After so many kills the server starts with other disks: it is killed as well, or stopped. */
const RESTART = 3;
const TIMEOUT_MS = 900_000;

/** Begins to move contents. Resolves once it has looked at what there is to do. */
async function beginMigration(dataDir: string, ...to: string[]) {
  const command = [process.execPath, MIGRATION, dataDir, String(RATE), ...to];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
  await stdout.until(/"plan"/);
  return { child, stdout, said: () => stdout.text + stderr.text };
}

test(
  "a migration that is killed again and again beside writers and sweeps loses nothing, and leaves nothing in the end",
  async () => {
    // What a killed process has written is there without a sync.
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const dataDir = join(place.path, "data");
    const disks = ["a", "b"].map((name) => join(place.path, name));
    for (const disk of disks) await mkdir(disk);
    const start = (turn: number) => {
      const env = { COFFER_SWEEP_INTERVAL: "10ms", COFFER_KEEP_DAYS: "0" };
      return serve({ dataDir, env: { ...env, COFFER_BLOBS: disks[turn % disks.length] ?? "" } });
    };
    let server = await start(0);
    try {
      const { key, drive, client } = await provision(server);
      const writers = Array.from({ length: WRITERS }, (_, n) => new FileWriter(drive, `w${n}/`));
      /** Writes until so many were answered. */
      const write = async (answers: number) => {
        let left = answers;
        const go = async (writer: FileWriter) => {
          while (left > 0) {
            left -= 1;
            await writer.write(server.client(key));
          }
        };
        await Promise.all(writers.map(go));
        ageOrphans(dataDir);
      };
      const kept = Array.from({ length: KEPT }, (_, n) => contentOf(`kept ${n}`, 20_000 + 1000 * n));
      for (const [n, bytes] of kept.entries())
        await client.put(drive, `kept/${n}.bin`, Uint8Array.from(bytes));
      const readKept = async () => {
        for (const [n, bytes] of kept.entries()) {
          const path = `/v0/files/by-path/download?drive_id=${drive}&path=kept/${n}.bin`;
          const answer = await server.client(key).fetch("GET", path);
          expect([n, hashOf(await answer.bytes())]).toEqual([n, hashOf(bytes)]);
        }
      };
      await write(10 * WRITERS);
      const killed = { copying: 0, removing: 0 };
      let turn = 0;
      for (let round = 1; round <= KILLS; round += 1) {
        if (round % RESTART === 1) {
          if (round % (2 * RESTART) === 1) await server.kill();
          else expect(await server.stop()).toBe(0);
          turn += 1;
          server = await start(turn);
        }
        const { child, stdout } = await beginMigration(dataDir);
        if (round % RESTART === 0) await stdout.until(/"removing"/);
        else await write(1 + Math.floor(Math.random() * ANSWERS));
        if (child.exitCode === null) killed[stdout.text.includes('"removing"') ? "removing" : "copying"] += 1;
        child.kill("SIGKILL");
        await child.exited;
        for (const writer of writers) await writer.readAll(server.client(key));
        await readKept();
      }
      // Else the moments of the kills were badly chosen.
      expect(Math.min(killed.copying, killed.removing)).toBeGreaterThan(0);
      const last = await beginMigration(dataDir);
      await write(ANSWERS);
      expect([await last.child.exited, last.said()]).toEqual([0, expect.stringContaining('"damaged":0')]);
      const [current = "", former = ""] = [disks[turn % 2], disks[(turn + 1) % 2]];
      await eventually(async () => {
        const recorded: unknown = await Bun.file(join(dataDir, "disks")).json();
        return Bun.deepEquals(recorded, { current: [current], former: [] });
      });
      expect([filesIn(former), await temporariesIn(former)]).toEqual([[], []]);
      for (const writer of writers) {
        await writer.check(server.client(key));
        await writer.readAll(server.client(key));
      }
      await readKept();
      await requireNothingLeft(dataDir, current);
      expect(await server.stop()).toBe(0);
      expect(await verified(dataDir)).toEqual([]);
    } finally {
      await server.kill();
    }
  },
  TIMEOUT_MS,
);
