import { NOWHERE } from "../samples/origin.ts";
import type { KeyRequest } from "../../../src/services/accounts/api-keys.ts";
import { addAccount } from "./accounts.ts";
import { startAppliance, type TestAppliance } from "./appliance.ts";
import type { Client } from "./client.ts";
import { letIn } from "../peers/oauth.ts";
import { beginSession } from "./sign-in.ts";
import { callerWith } from "./services-drive.ts";

/** All callers. Authorisation decides what each of them can see. */
export const CALLERS = [
  "nobody",
  "liar",
  "agent",
  "agentReader",
  "otherAgent",
  "ada",
  "adaReader",
  "adaDrive",
  "bob",
  "carol",
  "dan",
  "adaPrefix",
  "adaPrefixReader",
  "adaBeside",
  "adaMade",
  "adaApp",
  "adaDriveApp",
] as const;
export type CallerName = (typeof CALLERS)[number];

/** What there is of each caller, by the callers' names. */
export function ofCallers<T>(of: (caller: CallerName) => T): Record<CallerName, T>;
export function ofCallers(of: (caller: CallerName) => unknown): Record<string, unknown> {
  return Object.fromEntries(CALLERS.map((caller) => [caller, of(caller)]));
}

/**
 * Two unclaimed drives with an agent each, and two users with a drive each. `agentReader` has a read-only key of the
 * agent's drive, `adaReader` one of Ada's account, `adaDrive` a key that is limited to Ada's drive, and `liar` a key that
 * does not exist. Ada shares her drive with two users without drives of their own: `carol` is a reader, `dan` an editor.
 * `adaPrefix` and the read-only `adaPrefixReader` have keys that are limited to `notes/` in Ada's drive, `adaBeside` one
 * for `note/`. `adaMade` has a key of Ada's account that a key of hers made, as `adaReader` has. Ada has let two
 * applications in: `adaApp` for all her drives, `adaDriveApp` for one.
 */
export interface World {
  readonly keys: Readonly<Record<CallerName, string | undefined>>;
  readonly clients: Readonly<Record<CallerName, Client>>;
  /** The ids of the drives of the two agents and the two users. */
  readonly drives: Readonly<Record<"agent" | "otherAgent" | "ada" | "bob", string>>;
  /** A file `notes/hello.txt` in each, by the same names. */
  readonly files: Readonly<Record<"agent" | "otherAgent" | "ada" | "bob", string>>;
  readonly keyIds: Readonly<Record<"agent" | "otherAgent" | "ada" | "bob", string>>;
  /** Her id. */
  readonly carol: string;
}

type Owner = Awaited<ReturnType<typeof user>>;

interface Provisioned {
  data: { api_key: string; key_id: string; drive_id: string };
}

/** Creates the cast in an empty appliance. */
export async function populate(coffer: TestAppliance): Promise<World> {
  const provision = (name: string) => coffer.client().post<Provisioned>("/v0/drives/provision", { name });
  const agent = (await provision("Agent's drive")).data;
  const otherAgent = (await provision("Another agent's")).data;
  const ada = await user(coffer, "ada");
  const bob = await user(coffer, "bob");
  const carol = await member(coffer, "carol", "reader", ada);
  const dan = await member(coffer, "dan", "editor", ada);
  const keyOf = async (key: string, body: { scope?: string; drive_id?: string }) =>
    (await coffer.client(key).makeKey(body)).key;
  const ofNotes = { driveId: ada.drive, pathPrefix: "notes/" };
  const { browser } = beginSession(coffer, "ada");
  const adaApp = (await letIn(coffer, browser)).accessToken;
  const adaDriveApp = (await letIn(coffer, browser, ada.drive)).accessToken;
  await coffer.appliance.services.sessions.end(browser.token, NOWHERE);
  const keys = {
    nobody: undefined,
    liar: `cof_sk_live_${"0".repeat(48)}`,
    agent: agent.api_key,
    agentReader: await keyOf(agent.api_key, { scope: "read-only" }),
    otherAgent: otherAgent.api_key,
    ada: ada.key,
    adaReader: await keyOf(ada.key, { scope: "read-only" }),
    adaDrive: await keyOf(ada.key, { drive_id: ada.drive }),
    bob: bob.key,
    carol: carol.key,
    dan: dan.key,
    adaPrefix: await madeKey(coffer, ada, { ...ofNotes, scope: "read-write" }),
    adaPrefixReader: await madeKey(coffer, ada, { ...ofNotes, scope: "read-only" }),
    adaBeside: await madeKey(coffer, ada, { ...ofNotes, pathPrefix: "note/", scope: "read-write" }),
    adaMade: await madeKey(coffer, ada, { scope: "read-write" }),
    adaApp,
    adaDriveApp,
  };
  const clients = ofCallers((caller) => coffer.client(keys[caller]));
  const drives = { agent: agent.drive_id, otherAgent: otherAgent.drive_id, ada: ada.drive, bob: bob.drive };
  const files = {
    agent: await upload(clients.agent, drives.agent),
    otherAgent: await upload(clients.otherAgent, drives.otherAgent),
    ada: await upload(clients.ada, drives.ada),
    bob: await upload(clients.bob, drives.bob),
  };
  const keyIds = { agent: agent.key_id, otherAgent: otherAgent.key_id, ada: ada.keyId, bob: bob.keyId };
  return { keys, clients, drives, files, keyIds, carol: carol.id };
}

/** An appliance with its cast, of one test's own. */
export async function startWorld(settings: Record<string, string> = {}): Promise<TestAppliance & World> {
  const coffer = await startAppliance(settings);
  return Object.assign(coffer, await populate(coffer));
}

/** The same, with everybody's minute still to begin. */
export async function startQuietly(settings: Record<string, string>): Promise<TestAppliance & World> {
  const coffer = await startWorld(settings);
  coffer.clock.advance(60_000);
  return coffer;
}

async function user(coffer: TestAppliance, username: string) {
  addAccount(coffer, username);
  const { secret, key } = await coffer.appliance.services.apiKeys.createFor(username, "", "read-write");
  const { id: drive } = await coffer.client(secret).makeDrive("Notes");
  return { key: secret, keyId: key.id, drive };
}

/** Creates a user with whom an owner shares a drive. Returns the user's id, and a key of its account. */
async function member(coffer: TestAppliance, username: string, role: "reader" | "editor", owner: Owner) {
  addAccount(coffer, username);
  const { services } = coffer.appliance;
  const { member: added } = await services.members.add(
    callerWith(services, owner.key),
    owner.drive,
    username,
    role,
  );
  const { secret } = await services.apiKeys.createFor(username, "", "read-write");
  return { id: added.userId, key: secret };
}

/** A key that an owner's key makes; of all that it reaches, unless it is limited. */
async function madeKey(
  { appliance: { services } }: TestAppliance,
  owner: Owner,
  wanted: Pick<KeyRequest, "scope"> & Partial<KeyRequest>,
): Promise<string> {
  const request = { name: "", driveId: undefined, pathPrefix: undefined, expiresAt: null, ...wanted };
  return (await services.apiKeys.create(callerWith(services, owner.key), request)).secret;
}

/** Uploads `notes/hello.txt`, "Hello World!". Returns its id. */
function upload(client: Client, drive: string): Promise<string> {
  return client.store(drive, "notes/hello.txt", "Hello World!");
}
