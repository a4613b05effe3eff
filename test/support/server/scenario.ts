import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { startAppliance, type TestAppliance } from "./appliance.ts";
import { contentsIn } from "../samples/contents.ts";
import type { Answer, Client, RequestOptions } from "./client.ts";
import { type Code, STATUS_OF, type Step } from "./steps.ts";
import { type CallerName, populate, type World } from "./world.ts";

/** An appliance with its cast, shared by the scenarios of one file. Each scenario has its own drive. */
export interface Stage {
  readonly coffer: TestAppliance;
  readonly world: World;
  /** A new unclaimed drive and its agent. */
  ownDrive(): Promise<UnclaimedDrive>;
  /** The data directory: the digests of the contents, sorted, and the temporary files. */
  onDisk(): Promise<{ blobs: string[]; tmp: string[] }>;
}

export interface OwnDrive {
  readonly id: string;
  readonly key: string;
  readonly client: Client;
}

export interface UnclaimedDrive extends OwnDrive {
  /** What it can be claimed with. */
  readonly claimToken: string;
}

/** Opens a stage before the tests of the calling file or `describe`, and closes it after them. */
export function openStage(settings: Record<string, string> = {}): Stage {
  let open: Pick<Stage, "coffer" | "world"> | undefined;
  beforeAll(async () => {
    const coffer = await startAppliance(settings);
    open = { coffer, world: await populate(coffer) };
  });
  afterAll(() => open?.coffer[Symbol.asyncDispose]());
  const opened = () => {
    if (open === undefined) throw new Error("the stage is not open yet");
    return open;
  };
  return stageOf(opened);
}

/** The same at once, for a file where more has to be there before its tests. */
export async function openStageNow(settings: Record<string, string> = {}): Promise<Stage> {
  const coffer = await startAppliance(settings);
  afterAll(() => coffer[Symbol.asyncDispose]());
  const open = { coffer, world: await populate(coffer) };
  return stageOf(() => open);
}

function stageOf(opened: () => Pick<Stage, "coffer" | "world">): Stage {
  return {
    get coffer() {
      return opened().coffer;
    },
    get world() {
      return opened().world;
    },
    ownDrive: () => provision(opened().coffer),
    onDisk: () => contentsOnDisk(opened().coffer.dataDir),
  };
}

/** The contents and temporary files in a data directory. */
export async function contentsOnDisk(dataDir: string): Promise<{ blobs: string[]; tmp: string[] }> {
  const blobs = contentsIn(dataDir).map(({ digest }) => digest);
  return { blobs: blobs.toSorted(), tmp: await readdir(join(dataDir, "tmp")) };
}

/** The timeout of `eventually`, in milliseconds: only reached if the condition never becomes true. */
const PATIENCE_MS = 90_000;

/** The longest time between two looks of `eventually`, in milliseconds. */
const PAUSE_MS = 25;

/**
 * Resolves when `isTrue` returns true; for what happens on the server without a response. The longer it waits, the less
 * often it looks: that takes time from what it waits for. It is never later by more than a quarter of the wait.
 */
export async function eventually(isTrue: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pause = 1; !(await isTrue()); pause = Math.min(1.25 * pause, PAUSE_MS)) {
    if (performance.now() > deadline) throw new Error(`this never came true: ${isTrue.toString()}`);
    await Bun.sleep(pause);
  }
}

/** A new unclaimed drive of an appliance. */
export async function provision(coffer: TestAppliance, name = "Scenario"): Promise<UnclaimedDrive> {
  type Provisioned = { data: Record<"api_key" | "drive_id" | "claim_url", string> };
  const { data } = await coffer.client().post<Provisioned>("/v0/drives/provision", { name });
  const claimToken = data.claim_url.split("/").at(-1) ?? "";
  return { id: data.drive_id, key: data.api_key, claimToken, client: coffer.client(data.api_key) };
}

/** An appliance, with a new unclaimed drive as `own`. */
export async function startWithDrive(...of: Parameters<typeof startAppliance>) {
  const coffer = await startAppliance(...of);
  return Object.assign(coffer, { own: await provision(coffer) });
}

/** Scenarios by their names: a step each, or several, one after another. */
export type Scenarios = Readonly<Record<string, Step | readonly Step[]>>;

/** Makes a test of each scenario. */
export function runScenarios(stage: Stage, scenarios: Scenarios): void {
  runAfter(stage, [], scenarios);
}

/** Makes a test of each scenario, which begins with what is given. */
export function runAfter(stage: Stage, given: readonly Step[], scenarios: Scenarios): void {
  runBetween(stage, given, [], scenarios);
}

/** The same, where each ends with what must hold after it. */
export function runBetween(
  stage: Stage,
  given: readonly Step[],
  after: readonly Step[],
  scenarios: Scenarios,
): void {
  for (const [name, steps] of Object.entries(scenarios)) {
    test(name, async () => {
      const { clients, drives, files, keyIds } = stage.world;
      const { id: drive, client: owner } = await stage.ownDrive();
      const scope: Record<string, unknown> = { drive, drives, files, keyIds };
      for (const each of [...given, ...[steps].flat(), ...after])
        await run(each, { ...clients, owner }, scope);
    });
  }
}

/** Makes a test of each row of a table: its name, and the steps. */
export function runEach<T>(
  stage: Stage,
  rows: readonly T[],
  scenario: (row: T) => readonly [name: string, ...steps: Step[]],
): void {
  for (const row of rows) {
    const [name, ...steps] = scenario(row);
    runScenarios(stage, { [name]: steps });
  }
}

/** Sends a step's request and checks the answer. What the step keeps is in the scope from then on. */
async function run(
  asked: Step,
  callers: Readonly<Record<CallerName | "owner", Client>>,
  scope: Record<string, unknown>,
): Promise<void> {
  const [method, template] = asked.request;
  const path = fill(template, scope, encodeURIComponent);
  const options: RequestOptions = {
    ...(asked.body === undefined ? {} : { body: fillJson(asked.body, scope) }),
    headers: fillJson(asked.headers ?? {}, scope),
  };
  const answer = await callers[asked.as ?? "owner"].send(method, path, options);
  const what = `${method} ${path}`;
  const excerpt = answer.status === asked.status ? "" : answer.text.slice(0, 500);
  expect(`${what}: ${answer.status} ${excerpt}`).toStartWith(`${what}: ${asked.status} `);
  expectCommonRules(method, answer);
  for (const part of asked.contains ?? []) expectText(answer.text, part, scope, true);
  for (const part of asked.omits ?? []) expectText(answer.text, part, scope, false);
  for (const [name, expected] of Object.entries(asked.receives ?? {})) {
    const value = answer.headers.get(name);
    if (expected instanceof RegExp) expect(value ?? "").toMatch(expected);
    else expect([name, value]).toEqual([name, expected === null ? null : fill(expected, scope)]);
  }
  if (asked.empty) expect(answer.text).toBe("");
  if (asked.json !== undefined) expectJson(answer.text, fillJson(asked.json, scope));
  if (asked.keeps !== undefined) scope[asked.keeps] = JSON.parse(answer.text);
}

/** Checks what every response of `/v0`, and every error body, must have; at every step. */
export function expectCommonRules(method: string, { status, headers, text }: Answer): void {
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const id = headers.get("x-request-id") ?? "";
  expect(id).toMatch(/^[!-~]{1,128}$/);
  for (const name of ["limit", "remaining", "reset"]) {
    expect([name, headers.get(`x-ratelimit-${name}`)]).toEqual([name, expect.stringMatching(/^\d+$/)]);
  }
  // Contents may be cached, but must be revalidated; everything else must not be cached.
  expect(headers.get("cache-control")).toMatch(/^(no-store|private, no-cache)$/);
  if (status < 400) return;
  expect(headers.get("content-type")).toMatch(/^application\/json\b/);
  if (method === "HEAD") return;
  const { error }: { error: { code: Code; message: unknown; request_id: unknown } } = JSON.parse(text);
  expect([error.code, status]).toEqual([error.code, STATUS_OF[error.code]]);
  expect(error.message).toMatch(/./);
  expect(error.request_id).toBe(id);
}

/** The text must be JSON that has at least `expected`; arrays must match completely. */
export function expectJson(text: string, expected: unknown): void {
  // Parsed again each time: toMatchObject replaces values of the checked object by matchers.
  const json: unknown = JSON.parse(text);
  expect({ json }).toMatchObject({ json: expected });
}

type Scope = Readonly<Record<string, unknown>>;

/** A text with what stands in the scope for each `{name}`, or `{name.field}`. */
export function fill(template: string, scope: Scope, encode = (value: string) => value): string {
  return template.replaceAll(/\{([A-Za-z]\w*(?:\.\w+)*)\}/g, (whole, name: string) => {
    let value: unknown = scope;
    for (const key of name.split(".")) {
      value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
    }
    if (typeof value !== "string" && typeof value !== "number")
      throw new Error(`nothing stands for ${whole}`);
    return encode(String(value));
  });
}

/** The same for every text in a value. Does not change bytes, and matchers such as `expect.any(String)`. */
export function fillJson<T>(value: T, scope: Scope): T;
export function fillJson(value: unknown, scope: Scope): unknown {
  if (typeof value === "string") return fill(value, scope);
  if (Array.isArray(value)) return value.map((item: unknown) => fillJson(item, scope));
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillJson(item, scope)]));
}

function expectText(text: string, part: string | RegExp, scope: Scope, isThere: boolean): void {
  if (part instanceof RegExp) return isThere ? expect(text).toMatch(part) : expect(text).not.toMatch(part);
  const filled = fill(part, scope);
  return isThere ? expect(text).toContain(filled) : expect(text).not.toContain(filled);
}
