import { cp, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "bun:test";
import { type Change, QUIET, type Prepared, stateOf } from "./changes.ts";
import { serve } from "../server/executable.ts";
import { contentOf, type Fault, heldBy, Injection, put } from "./faults.ts";
import { settledIndex } from "../server/settled-index.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";
import { verified } from "./verified.ts";

/** What a change removes from a state, and adds to it; see `stateOf`. */
export interface Effect {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Tries a change without any fault. */
export async function effectOf(prepared: Prepared, change: Change): Promise<Effect> {
  await using copy = await copyOf(prepared);
  const before = stateOf(copy.dataDir);
  await using server = await serve({ dataDir: copy.dataDir, env: QUIET });
  const { status, text } = await change.run(server, prepared);
  expect([change.name, status, text]).toEqual([change.name, status < 300 ? status : 200, text]);
  const after = stateOf(copy.dataDir);
  const effect = { removed: without(before, after), added: without(after, before) };
  expect([change.name, effect]).not.toEqual([change.name, { removed: [], added: [] }]);
  return effect;
}

function withEffect(state: readonly string[], { removed, added }: Effect): string[] {
  return [...without(state, removed), ...added].toSorted();
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

async function copyOf({ dataDir }: Prepared): Promise<AsyncDisposable & { readonly dataDir: string }> {
  const place = await temporaryDirectory(dirname(dirname(dataDir)));
  const copy = join(place.path, "data");
  await cp(dataDir, copy, { recursive: true });
  return { dataDir: copy, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

/** The status of a change, and the system calls that failed. */
export interface Outcome {
  readonly status: number;
  readonly hits: readonly string[];
}

/** What happens between a change and the kill: nothing, or another write, which may overwrite the first. */
export type Meanwhile = "nothing" | "another write";

const LATER = contentOf("later", 1024);

/**
 * Injects a fault into a change, kills the server and starts it again without the fault. Checks that the change happened
 * completely or not at all, that successful writes are kept, that everything agrees, and that the server works.
 *
 * @param effect what the change does; see `effectOf`
 */
export async function changeWithFault(
  { prepared, change, effect }: { prepared: Prepared; change: Change; effect: Effect },
  fault: Fault,
  meanwhile: Meanwhile = "nothing",
): Promise<Outcome> {
  await using copy = await copyOf(prepared);
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
  const after = withEffect(before, effect);
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
