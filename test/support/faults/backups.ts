import { expect } from "bun:test";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DirectoryPlace } from "../../../src/backup/directory-place.ts";
import { keptBackups } from "../../../src/backup/manifest.ts";
import { restoreFrom } from "../../../src/backup/restore.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { NO_S3 } from "../peers/s3-options.ts";
import { type Agent, provision, run, serve } from "../server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../server/temporary-directory.ts";
import { contentOf, type Held, heldBy, put } from "./faults.ts";

/** From small contents to those that are files of several pieces. */
const SIZES = [100, 20_000, 150_000];
export function sizeOf(n: number): number {
  return SIZES[n % SIZES.length] ?? 0;
}

export async function upload({ client, drive }: Agent, count: number, from = 0): Promise<void> {
  for (let n = from; n < from + count; n++) {
    expect(await put(client, drive, `f${n}`, contentOf(`content ${n}`, sizeOf(n)))).toBe(201);
  }
}

/** Runs a command that must succeed; what it prints. */
export async function succeed(...command: Parameters<typeof run>): Promise<string> {
  const { code, stdout, stderr } = await run(...command);
  expect([command[0], code, stderr]).toEqual([command[0], 0, ""]);
  return stdout;
}

/** A server with some files, and a directory for what is made of them. */
export async function startFilled(files: number, env: Record<string, string> = {}) {
  const opened = new AsyncDisposableStack();
  const { path, dataDir } = opened.use(await temporaryDirectory(FAST_DIRECTORY));
  const server = opened.use(await serve({ dataDir, env }));
  const agent = await provision(server);
  await upload(agent, files);
  return {
    agent,
    dataDir,
    held: await heldBy(agent.client, agent.drive),
    at: (name: string) => join(path, name),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** What the agent's drive has in a directory that was restored. Reads each content, and compares its digest. */
export async function heldIn(dataDir: string, { key, drive }: Agent): Promise<Held> {
  await using server = await serve({ dataDir });
  const held = await heldBy(server.client(key), drive);
  expect(await server.stop()).toBe(0);
  return held;
}

/** The ids of the complete backups in a directory. */
export async function completeIn(path: string): Promise<string[]> {
  const kept = await keptBackups(new DirectoryPlace(path));
  return kept.filter(({ isComplete }) => isComplete).map(({ id }) => id);
}

/** Restores every complete backup of a place: each must be whole. Resolves with their number. */
export async function requireWhole(path: string, restored: string): Promise<number> {
  const complete = await completeIn(path);
  for (const id of complete) {
    const { missing } = await restoreFrom({ kind: "directory", path }, id, {
      dataDir: restored,
      s3: NO_S3,
      clock: systemClock,
    });
    expect([id, missing]).toEqual([id, []]);
    await rm(restored, { recursive: true });
  }
  return complete.length;
}
