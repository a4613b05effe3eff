import { describe, expect, test } from "bun:test";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { NO_CEPH, startCeph } from "../../support/peers/ceph.ts";
import { clientOf, newBucket, openEngine } from "../../support/peers/s3-engine.ts";
import { filesIn, newContent } from "../../support/samples/contents.ts";
import { hashOf } from "../../support/samples/hash.ts";
import { type Client } from "../../support/server/client.ts";
import { run, serve, signUp } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** How many contents there are at first. */
const CONTENTS = 3000;
/** Above what is kept in the database. */
const SIZE = 17 * 1024;
const AGENTS = 3;
/** How many uploads, or downloads, are under way at once where all is stored, or read. */
const AT_ONCE = 16;
const TIMEOUT_MS = 1_800_000;

/** The files of a drive, and what is in them. */
class Files {
  readonly hashes = new Map<string, string>();
  readonly #drive: string;

  constructor(drive: string) {
    this.#drive = drive;
  }

  async store(client: Client, path: string): Promise<void> {
    const bytes = newContent(SIZE);
    await client.put(this.#drive, path, bytes);
    this.hashes.set(path, hashOf(bytes));
  }

  async require(client: Client, path: string): Promise<void> {
    const target = `/v0/files/by-path/download?drive_id=${this.#drive}&path=${path}`;
    const answer = await client.fetch("GET", target);
    expect([path, answer.status, hashOf(await answer.bytes())]).toEqual([
      path,
      200,
      this.hashes.get(path) ?? "",
    ]);
  }

  async requireAll(client: Client): Promise<void> {
    await inTurns([...this.hashes.keys()], (path) => this.require(client, path));
  }

  any(): string {
    return `${Math.floor(Math.random() * CONTENTS)}.bin`;
  }
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const go = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, go));
}

/** Agents that write and read until they are told to stop. Returns how much they did. Rejects if any read fails. */
function startAgents(files: Files, client: () => Client, round: string) {
  const state = { isOver: false, written: 0, read: 0 };
  const work = async (agent: number) => {
    for (let n = 0; !state.isOver; n += 1) {
      const path = `${round}-${agent}-${n}.bin`;
      await files.store(client(), path);
      state.written += 1;
      for (const each of [path, files.any(), files.any()]) await files.require(client(), each);
      state.read += 3;
    }
  };
  const working = Promise.all(Array.from({ length: AGENTS }, (_, agent) => work(agent)));
  return async () => {
    state.isOver = true;
    await working;
    return state;
  };
}

describe.skipIf(NO_CEPH !== "")(withReason("Ceph", NO_CEPH), () => {
  const engine = openEngine(startCeph);

  test(
    "a server moves to a bucket of Ceph and back while agents write and read: no read fails, all is right, nothing is left",
    async () => {
      await using place = await temporaryDirectory();
      const dataDir = join(place.path, "data");
      const disk = join(place.path, "disk");
      await mkdir(disk);
      const { env } = engine();
      const name = await newBucket(engine());
      const bucket = `s3://${name}/p`;
      const start = (blobs: string) => serve({ dataDir, env: { ...env, COFFER_BLOBS: blobs } });
      let server = await start(disk);
      try {
        const { drive, key } = await signUp(server, "owner");
        const files = new Files(drive);
        const client = () => server.client(key);
        const paths = Array.from({ length: CONTENTS }, (_, n) => `${n}.bin`);
        await inTurns(paths, (path) => files.store(client(), path));
        for (const to of [bucket, disk]) {
          expect(await server.stop()).toBe(0);
          server = await start(to);
          await rm(join(dataDir, "cache"), { recursive: true, force: true });
          const stopAgents = startAgents(files, client, to === disk ? "back" : "there");
          const moved = await run(["blobs", "migrate"], { dataDir, env });
          const { written, read } = await stopAgents();
          expect([moved.code, moved.stderr]).toEqual([0, ""]);
          expect(moved.stdout).toContain(`Copied: ${to === disk ? "" : CONTENTS}`);
          expect(Math.min(written, read)).toBeGreaterThan(0);
          expect(await server.stdout.until(/holds no contents, and is forgotten/)).not.toBeNull();
          await files.requireAll(client());
        }
        expect((await clientOf(env, name).list()).contents ?? []).toEqual([]);
        expect(filesIn(disk).length).toBe(files.hashes.size);
        const verified = await run(["verify", "--full"], { dataDir });
        expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining("findings: 0")]);
      } finally {
        await server.kill();
      }
    },
    TIMEOUT_MS,
  );
});
