import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "bun:test";
import { type Change, QUIET, type Prepared, stateOf } from "./changes.ts";
import { serve } from "../server/executable.ts";
import { contentOf, type Fault, heldBy, Injection, put } from "./faults.ts";
import { settledIndex } from "../server/settled-index.ts";
import { verified } from "./verified.ts";

/** What a change removes from a state, and adds to it; see `stateOf`. */
interface Effect {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** A change that was tried without any fault. */
export interface Trial {
  readonly change: Change;
  readonly meanwhile: Meanwhile;
  readonly effect: Effect;
  /** How often a thread made one of these system calls, whichever made one most often; see `Fault`. */
  readonly times: (calls: string) => number;
}

/** Tries a change without any fault, and counts its system calls and those of what happens after it. */
export async function tryOut(
  prepared: Prepared,
  change: Change,
  meanwhile: Meanwhile = "nothing",
): Promise<Trial> {
  await using copy = await prepared.copied();
  await using server = await serve({ dataDir: copy.dataDir, env: QUIET });
  const before = stateOf(copy.dataDir);
  const trace = await Injection.into(server, NOTHING);
  const { status, text } = await change.run(server, prepared);
  expect([change.name, status, text]).toEqual([change.name, status < 300 ? status : 200, text]);
  const after = stateOf(copy.dataDir);
  const effect = { removed: without(before, after), added: without(after, before) };
  expect([change.name, effect]).not.toEqual([change.name, { removed: [], added: [] }]);
  if (meanwhile === "another write")
    await put(server.client(prepared.key), prepared.drive, "later.bin", LATER);
  await server.kill();
  const counts = await trace.counts();
  const times = (calls: string) =>
    Math.max(...calls.split(",").map((name) => counts.get(name.replace("?", "")) ?? 0));
  return { change, meanwhile, effect, times };
}

/** `lines` without `others`, each taken away once. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** What happens between a change and the kill: nothing, or another write, which may overwrite the first. */
export type Meanwhile = "nothing" | "another write";

const LATER = contentOf("later", 1024);

/** Lets each call of a write that reaches the disk be: it is only counted. */
const NOTHING: Fault = {
  calls: "fsync,fdatasync,pwrite64,?mkdir,mkdirat,?rename,renameat,renameat2,?unlink,unlinkat,?open,openat",
  error: "NONE",
  when: "1+",
};

/**
 * Injects a fault into a change, kills the server and starts it again without the fault. Checks that the change happened
 * completely or not at all, that successful writes are kept, that everything agrees, and that the server works.
 *
 * @param trial what the change does; see `tryOut`
 * @returns the status of the change, and the system calls that failed
 */
export async function changeWithFault(
  prepared: Prepared,
  { change, meanwhile, effect }: Trial,
  fault: Fault,
) {
  await using copy = await prepared.copied();
  const { dataDir } = copy;
  const { key, drive } = prepared;
  let before: string[];
  let [status, laterStatus] = [0, 503];
  let hits: string[];
  {
    await using server = await serve({ dataDir, env: QUIET });
    const client = server.client(key);
    expect(await put(client, drive, "answered.bin", contentOf("answered", 1024))).toBe(201);
    // Otherwise the fault could hit the write of the index.
    await settledIndex(dataDir);
    before = stateOf(dataDir);
    const injection = await Injection.into(server, fault);
    status = await change.run(server, prepared).then(
      (answer) => answer.status,
      () => 0,
    );
    if (meanwhile === "another write") {
      laterStatus = await put(client, drive, "later.bin", LATER);
    }
    await server.kill();
    hits = await injection.hits();
  }
  const where = `${change.name}, ${JSON.stringify(fault)}, answered ${status}, hit: ${hits.join("; ")}`;
  await using server = await serve({ dataDir, env: QUIET });
  const client = server.client(key);
  expect(await readdir(join(dataDir, "tmp"))).toEqual([]);
  const state = stateOf(dataDir);
  const after = [...without(before, effect.removed), ...effect.added].toSorted();
  // Completely or not at all; successful writes are kept.
  const allowed = isSuccess(status) ? [after] : [before, after];
  expect([where, allowed]).toEqual([where, expect.arrayContaining([state.filter((line) => !isLater(line))])]);
  if (isSuccess(laterStatus)) expect([where, state.some(isLater)]).toEqual([where, true]);
  if (hits.length === 0) expect([where, isSuccess(status)]).toEqual([where, true]);
  if (change.isOnce) {
    const again = await change.run(server, prepared);
    expect([where, again.text, isSuccess(again.status)]).toEqual([where, again.text, true]);
    const repeated = stateOf(dataDir).filter((line) => !isLater(line));
    expect([where, repeated]).toEqual([where, after]);
  }
  await heldBy(client, drive);
  expect([where, await verified(dataDir)]).toEqual([where, []]);
  expect(await put(client, drive, "again.bin", LATER)).toBe(201);
  return { status, hits };
}

function isLater(line: string): boolean {
  return line.includes('"path":"later.bin"');
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
