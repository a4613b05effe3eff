import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "bun:test";
import type { Client } from "./client.ts";
import { type Agent, Output, provision, serve, type Server } from "./executable.ts";
import { hashOf } from "./hash.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** System calls that fail: which ones, and how often. */
export interface Fault {
  /** Names of system calls, as for strace: `fsync,fdatasync`. */
  readonly calls: string;
  readonly error: "EIO" | "ENOSPC";
  /** Which calls of each thread fail, as strace counts: `1` is only the first, `2+` all from the second. */
  readonly when: string;
  /** Only calls on this file in the data directory fail. */
  readonly file?: string;
}

/** Why tests with failing system calls are skipped; empty if they can run. */
export const NO_STRACE = whyNoStrace();

function whyNoStrace(): string {
  if (Bun.which("strace") === null) return "strace is not installed";
  // Attaching to a process needs more rights than starting it.
  const { success } = Bun.spawnSync(["sh", "-c", "sleep 0.1 & exec strace -qq -o /dev/null -p $!"], {
    stdout: "ignore",
    stderr: "ignore",
  });
  return success ? "" : "strace may not attach to processes";
}

/** A fault that is being injected into a server. */
export class Injection {
  readonly #log: string;
  readonly #strace: Bun.Subprocess;

  private constructor(log: string, strace: Bun.Subprocess) {
    this.#log = log;
    this.#strace = strace;
  }

  /** Makes system calls of a running server fail until it ends. */
  static async into(server: Server, { calls, error, when, file }: Fault): Promise<Injection> {
    const log = `${server.dataDir}.strace-${crypto.randomUUID()}`;
    const args = ["-f", "-p", String(server.pid), "-o", log, "-e", `trace=${calls}`];
    if (file !== undefined) args.push("-P", join(server.dataDir, file));
    args.push("-e", `inject=${calls}:error=${error}:when=${when}`);
    const strace = Bun.spawn(["strace", ...args], { stdout: "ignore", stderr: "pipe" });
    const said = new Output(strace.stderr);
    if ((await said.until(/attached/)) === null) throw new Error(`strace did not attach: ${said.text}`);
    return new Injection(log, strace);
  }

  /** The calls that failed, as strace printed them. Resolves when the server has ended. */
  async hits(): Promise<string[]> {
    await this.#strace.exited;
    const lines = (await Bun.file(this.#log).text()).split("\n");
    return lines.filter((line) => line.includes("(INJECTED)"));
  }
}

/** The files of a drive: the SHA-256 of each content, by path. */
export type Held = Readonly<Record<string, string>>;

interface FileRecord {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly content_hash: string;
}

function list(client: Client, drive: string): Promise<{ data: FileRecord[] }> {
  return client.json(200, "GET", `/v0/files?drive_id=${drive}&limit=1000`);
}

/** The files of a drive now. Checks that each content matches its record, and that the drive's sums are correct. */
export async function heldBy(client: Client, drive: string): Promise<Held> {
  const { data } = await list(client, drive);
  const held: Record<string, string> = {};
  for (const { id, path, content_hash } of data) {
    const answer = await client.fetch("GET", `/v0/files/${id}/download`);
    held[path] = hashOf(await answer.bytes());
    expect([path, answer.status, `sha256:${held[path]}`]).toEqual([path, 200, content_hash]);
  }
  const totals = await client.json<{ data: object }>(200, "GET", `/v0/drives/${drive}`);
  const total_size = data.reduce((sum, { size }) => sum + size, 0);
  expect(totals).toMatchObject({ data: { file_count: data.length, total_size } });
  return held;
}

/** Uploads raw bytes to a path. Returns the status. */
export async function put(client: Client, drive: string, path: string, bytes: Uint8Array): Promise<number> {
  const target = `/v0/files?drive_id=${drive}&path=${encodeURIComponent(path)}`;
  return (await client.send("PUT", target, { body: Uint8Array.from(bytes) })).status;
}

/** A content of `size` bytes; the same for the same `seed`. */
export function contentOf(seed: string, size: number): Uint8Array {
  return Buffer.from(hashOf(Buffer.from(seed)).repeat(Math.ceil(size / 64))).subarray(0, size);
}

const KIB = 1024;

/** A write that must happen completely or not at all. */
export interface Change {
  readonly name: string;
  /** Sends the request. Returns the status. */
  readonly run: (client: Client, drive: string) => Promise<number>;
  /** The files of the drive after it. */
  readonly after: (before: Held) => Held;
}

function without(held: Held, isGone: (path: string) => boolean): Held {
  return Object.fromEntries(Object.entries(held).filter(([path]) => !isGone(path)));
}

function replaceOf(path: string, size: number): Pick<Change, "run" | "after"> {
  const bytes = contentOf(`new ${path}`, size);
  return {
    run: (client, drive) => put(client, drive, path, bytes),
    after: (before) => ({ ...before, [path]: hashOf(bytes) }),
  };
}

/** The writes that faults are injected into. */
export const CHANGES: readonly Change[] = [
  { name: "the replace of a small file", ...replaceOf("small.bin", 3 * KIB) },
  { name: "the replace of a file over 64 KiB", ...replaceOf("large.bin", 200 * KIB) },
  {
    name: "the deletion of a folder",
    run: async (client, drive) =>
      (
        await client.send("DELETE", "/v0/folders", {
          body: { drive_id: drive, path: "folder/", confirm: true },
        })
      ).status,
    after: (before) => without(before, (path) => path.startsWith("folder/")),
  },
  {
    name: "the deletion of a file",
    run: async (client, drive) => {
      const file = (await list(client, drive)).data.find(({ path }) => path === "single.bin");
      return (await client.send("DELETE", `/v0/files/${file?.id}`)).status;
    },
    after: (before) => without(before, (path) => path === "single.bin"),
  },
];

/** A data directory of a server that was stopped cleanly, with a drive that has files for every change. */
export interface Prepared extends AsyncDisposable {
  readonly dataDir: string;
  readonly key: string;
  readonly drive: string;
}

export async function prepare(): Promise<Prepared> {
  const place = await temporaryDirectory();
  const dataDir = join(place.path, "prepared");
  await using server = await serve({ dataDir });
  const { client, key, drive }: Agent = await provision(server);
  const paths = ["small.bin", "large.bin", "single.bin", "folder/a.bin", "folder/b/c.bin", "folder/b/d.bin"];
  for (const path of paths) {
    expect(await put(client, drive, path, contentOf(path, path === "large.bin" ? 150 * KIB : KIB))).toBe(201);
  }
  expect(await server.stop()).toBe(0);
  return { dataDir, key, drive, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

/** The status of a change, and the system calls that failed. */
export interface Outcome {
  readonly status: number;
  readonly hits: readonly string[];
}

/** What happens between a change and the kill: nothing, or another write, which may overwrite the first. */
export type Meanwhile = "nothing" | "another write";

/**
 * Injects a fault into a change, kills the server and starts it again without the fault. Checks that the change happened
 * completely or not at all, that no content is missing, that successful writes are kept, and that the server works.
 */
export async function changeWithFault(
  prepared: Prepared,
  change: Change,
  fault: Fault,
  meanwhile: Meanwhile,
): Promise<Outcome> {
  await using place = await temporaryDirectory();
  const dataDir = join(place.path, "data");
  await cp(prepared.dataDir, dataDir, { recursive: true });
  const { key, drive } = prepared;
  const later = contentOf("later", KIB);
  let before: Held;
  let [status, laterStatus] = [0, 503];
  let hits: string[];
  {
    await using server = await serve({ dataDir });
    const client = server.client(key);
    expect(await put(client, drive, "answered.bin", contentOf("answered", KIB))).toBe(201);
    // A search waits until the upload is indexed: otherwise the fault could hit the write of the index.
    await client.json(200, "GET", `/v0/search?drive_id=${drive}&q=answered`);
    before = await heldBy(client, drive);
    const injection = await Injection.into(server, fault);
    status = await change.run(client, drive);
    if (meanwhile === "another write") laterStatus = await put(client, drive, "later.bin", later);
    await server.kill();
    hits = await injection.hits();
  }
  await using server = await serve({ dataDir });
  expect(await readdir(join(dataDir, "tmp"))).toEqual([]);
  const client = server.client(key);
  const { "later.bin": laterHash, ...held } = await heldBy(client, drive);
  const after = change.after(before);
  const where = `${change.name}, ${JSON.stringify(fault)}, answered ${status}, hit: ${hits.join("; ")}`;
  // Completely or not at all; successful writes are kept.
  const allowed = status < 300 ? [after] : [before, after];
  expect([where, allowed]).toEqual([where, expect.arrayContaining([held])]);
  if (laterStatus < 300) expect([where, laterHash]).toEqual([where, hashOf(later)]);
  if (hits.length === 0) expect([where, status]).toEqual([where, 200]);
  expect(await put(client, drive, "again.bin", later)).toBe(201);
  return { status, hits };
}
