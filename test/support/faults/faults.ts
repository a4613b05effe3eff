import { join } from "node:path";
import { expect } from "bun:test";
import type { Client } from "../server/client.ts";
import { Output, type Server } from "../server/executable.ts";
import { whyCannot } from "../server/skip.ts";
import { hashOf } from "../samples/hash.ts";

/** System calls that fail: which ones, and how often. */
export interface Fault {
  /** Names of system calls, as for strace: `fsync,fdatasync`. */
  readonly calls: string;
  /**
   * What happens instead of the call. KILL ends the process; LATE lets the call wait for 0.2 s, SLOW for the fault's
   * end; NONE leaves it as it is.
   */
  readonly error:
    "NONE" | "EIO" | "ENOSPC" | "EROFS" | "EACCES" | "EFBIG" | "EMFILE" | "KILL" | "LATE" | "SLOW";
  /** Which calls of each thread fail, as strace counts: `1` is only the first, `2+` all from the second. */
  readonly when: string;
  /** Only calls on this file in the data directory fail. */
  readonly file?: string;
}

/** Ends once it is traced, or after some seconds. */
const UNTIL_TRACED = `for turn in $(seq 200); do grep -q "TracerPid:.0" /proc/$$/status || exit 0; sleep 0.05; done`;

/** Why tests with failing system calls are skipped; empty if they can run. */
export const NO_STRACE = whyCannot(
  // Attaching to a process needs more rights than starting it.
  ["sh", "-c", 'sh -c "$0" & exec strace -qq -e trace=none -o /dev/null -p $!', UNTIL_TRACED],
  "strace may not attach to processes",
  ["strace"],
);

/** What strace does, other than to return an error; a time is in microseconds. */
const INSTEAD: { readonly [error in Fault["error"]]?: string } = {
  KILL: "signal=KILL",
  LATE: "delay_enter=200000",
  // An hour.
  SLOW: "delay_enter=3600000000",
};

/** How strace prints a call in which the process was killed. */
const NEVER_RETURNED = / = \?/;

/** Traces all threads of a running server until it ends. */
export async function attachStrace({ pid }: Server, args: readonly string[]): Promise<Bun.Subprocess> {
  const command = ["strace", "-f", "-p", String(pid), ...args];
  const strace = Bun.spawn(command, { stdout: "ignore", stderr: "pipe" });
  const said = new Output(strace.stderr);
  if ((await said.until(/attached/)) === null) throw new Error(`strace did not attach: ${said.text}`);
  return strace;
}

/** A fault that is being injected into a server. */
export class Injection {
  readonly #log: string;
  readonly #mark: RegExp;
  readonly #strace: Bun.Subprocess;

  private constructor(log: string, mark: RegExp, strace: Bun.Subprocess) {
    this.#log = log;
    this.#mark = mark;
    this.#strace = strace;
  }

  /** Makes system calls of a running server fail until it ends. */
  static async into(server: Server, { calls, error, when, file }: Fault): Promise<Injection> {
    const log = `${server.dataDir}.strace-${crypto.randomUUID()}`;
    const args = ["-o", log, "-e", `trace=${calls}`];
    if (file !== undefined) args.push("-P", join(server.dataDir, file));
    if (error !== "NONE")
      args.push("-e", `inject=${calls}:${INSTEAD[error] ?? `error=${error}`}:when=${when}`);
    const strace = await attachStrace(server, args);
    return new Injection(log, error === "KILL" ? NEVER_RETURNED : /\(INJECTED\)/, strace);
  }

  /** Ends the fault; the server goes on. */
  async stop(): Promise<void> {
    this.#strace.kill("SIGINT");
    await this.#strace.exited;
  }

  /**
   * How often a thread made each system call, by its name: as often as the thread that made it most often. Resolves when
   * the server has ended.
   */
  async counts(): Promise<ReadonlyMap<string, number>> {
    await this.#strace.exited;
    const byThread = new Map<string, number>();
    for (const [made] of (await Bun.file(this.#log).text()).matchAll(/^\d+ +\w+(?=\()/gm))
      byThread.set(made, (byThread.get(made) ?? 0) + 1);
    const most = new Map<string, number>();
    for (const [made, times] of byThread) {
      const name = made.slice(made.lastIndexOf(" ") + 1);
      most.set(name, Math.max(times, most.get(name) ?? 0));
    }
    return most;
  }

  /** The calls that failed, or in which it was killed, as strace printed them. Resolves when the server has ended. */
  async hits(): Promise<string[]> {
    await this.#strace.exited;
    const lines = (await Bun.file(this.#log).text()).split("\n");
    return lines.filter((line) => this.#mark.test(line));
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

/** The files of a drive now. Checks that each content matches its record, and that the drive's sums are correct. */
export async function heldBy(client: Client, drive: string): Promise<Held> {
  const { data } = await client.get<{ data: FileRecord[] }>(`/v0/files?drive_id=${drive}&limit=1000`);
  const held: Record<string, string> = {};
  for (const { id, path, content_hash } of data) {
    const answer = await client.fetch("GET", `/v0/files/${id}/download`);
    held[path] = hashOf(await answer.bytes());
    expect([path, answer.status, `sha256:${held[path]}`]).toEqual([path, 200, content_hash]);
  }
  const totals = await client.get<{ data: object }>(`/v0/drives/${drive}`);
  const total_size = data.reduce((sum, { size }) => sum + size, 0);
  expect(totals).toMatchObject({ data: { file_count: data.length, total_size } });
  return held;
}

/** Uploads raw bytes to a path. Returns the status. */
export function put(client: Client, drive: string, path: string, bytes: Uint8Array): Promise<number> {
  const target = `/v0/files?drive_id=${drive}&path=${encodeURIComponent(path)}`;
  return client.status("PUT", target, { body: Uint8Array.from(bytes) });
}

/** A content of `size` bytes; the same for the same `seed`. */
export function contentOf(seed: string, size: number): Uint8Array {
  return Buffer.from(hashOf(Buffer.from(seed)).repeat(Math.ceil(size / 64))).subarray(0, size);
}

/** A form with these fields and a file, as browsers send it. */
export async function formOf(fields: Readonly<Record<string, string>>, file: Uint8Array<ArrayBuffer>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("file", new Blob([file]), "form.bin");
  const encoded = new Response(form);
  const headers = { "content-type": encoded.headers.get("content-type") ?? "" };
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers };
}
