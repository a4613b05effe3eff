import { expect } from "bun:test";
import { join } from "node:path";
import { filesIn } from "../samples/contents.ts";
import { hashOf } from "../samples/hash.ts";
import { Output, provision, serve } from "../server/executable.ts";
import { eventually } from "../server/scenario.ts";
import { contentOf } from "./faults.ts";
import { FileWriter } from "./mixed-load.ts";
import { ageOrphans, requireNothingLeft, temporariesIn } from "./nothing-left.ts";
import { verified } from "./verified.ts";

const MIGRATION = join(import.meta.dir, "migration-process.ts");
const WRITERS = 4;
/** Contents that stay, beside those that the writers make and remove. */
const KEPT = 80;
/** Bytes a second: slow enough for others to write meanwhile. */
const RATE = 8_000_000;
/** A migration is killed after so many answers to others at most, since it began. */
const ANSWERS = 60;
/** After so many kills the server starts with the other place: it is killed as well, or stopped. */
const RESTART = 3;
/** So many kills, and each kind is among them. */
const FEW = 20;

interface KilledMigrations {
  readonly dataDir: string;
  /** What COFFER_BLOBS is in turn. In the end all contents are at the second one, which is a disk. */
  readonly first: string;
  readonly second: string;
  readonly env?: Readonly<Record<string, string>>;
  /** An odd multiple of three, or up to two less. */
  readonly kills: number;
  /** What is left at the first one: nothing in the end. */
  readonly leftAtFirst: () => Promise<readonly string[]>;
}

/** The contents and temporary files of a disk. */
export async function leftOn(disk: string): Promise<string[]> {
  return [...filesIn(disk).map(({ digest }) => digest), ...(await temporariesIn(disk))];
}

/** Begins to move contents. Resolves once it has looked at what there is to do. */
async function beginMigration({ dataDir, env }: KilledMigrations) {
  const command = [process.execPath, MIGRATION, dataDir, String(RATE)];
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe", env: { ...process.env, ...env } });
  const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
  await stdout.until(/"plan"/);
  return { child, stdout, said: () => stdout.text + stderr.text };
}

/**
 * Kills migrations between two places again and again, beside a server with writers and sweeps, which is killed too:
 * nothing is lost at any time, and nothing is left in the end.
 */
export async function killMigrations(migrations: KilledMigrations): Promise<void> {
  const { dataDir, first, second, kills } = migrations;
  const start = (turn: number) => {
    const env = { ...migrations.env, COFFER_SWEEP_INTERVAL: "10ms", COFFER_KEEP_DAYS: "0" };
    return serve({ dataDir, env: { ...env, COFFER_BLOBS: turn % 2 === 0 ? first : second } });
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
    for (const [n, bytes] of kept.entries()) await client.put(drive, `kept/${n}.bin`, Uint8Array.from(bytes));
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
    for (let round = 1; round <= kills; round += 1) {
      if (round % RESTART === 1) {
        if (round % (2 * RESTART) === 1) await server.kill();
        else expect(await server.stop()).toBe(0);
        turn += 1;
        server = await start(turn);
      }
      const { child, stdout } = await beginMigration(migrations);
      if (round % RESTART === 0) await stdout.until(/"removing"/);
      else if (round % RESTART !== 1) await write(1 + Math.floor(Math.random() * ANSWERS));
      if (child.exitCode === null) killed[stdout.text.includes('"removing"') ? "removing" : "copying"] += 1;
      child.kill("SIGKILL");
      await child.exited;
      for (const writer of writers) await writer.readAll(server.client(key));
      await readKept();
    }
    // Else the moments of the kills were badly chosen. Of a few, all may come before or after what is removed.
    const { copying, removing } = killed;
    expect(kills < FEW ? copying + removing : Math.min(copying, removing)).toBeGreaterThan(0);
    const last = await beginMigration(migrations);
    await write(ANSWERS);
    expect([await last.child.exited, last.said()]).toEqual([0, expect.stringContaining('"damaged":0')]);
    await eventually(async () => {
      const recorded: unknown = await Bun.file(join(dataDir, "disks")).json();
      return Bun.deepEquals(recorded, { current: [second], former: [] });
    });
    // The mark of a place goes after what is recorded.
    await eventually(async () => (await migrations.leftAtFirst()).length === 0);
    for (const writer of writers) {
      await writer.check(server.client(key));
      await writer.readAll(server.client(key));
    }
    await readKept();
    await requireNothingLeft(dataDir, second);
    expect(await server.stop()).toBe(0);
    expect(await verified(dataDir)).toEqual([]);
  } finally {
    await server.kill();
  }
}
