import type { Clock } from "../../../src/process/clock.ts";
import { addAccount } from "../server/accounts.ts";
import { changeDatabase } from "../faults/change-database.ts";
import { Client, type Json } from "../server/client.ts";
import { storeSession } from "../server/sign-in.ts";
import { KnownValues } from "./known-values.ts";

/** A running Coffer, in this process or not. */
export interface Target {
  readonly url: string;
  readonly dataDir: string;
  readonly clock: Clock;
}

/** Who asks: a name, and the headers that say so. */
export interface GeneratedCaller {
  readonly name: string;
  readonly headers: Record<string, string>;
  /** What belongs to it. */
  readonly known: KnownValues;
}

interface Provisioned {
  readonly data: { readonly api_key: string; readonly drive_id: string };
}

/**
 * Makes callers of every kind, each with a drive and files of its own: requests delete drives, revoke keys and end
 * sessions, so there must be new ones now and then. Those who may do most are there more than once.
 *
 * @param everybody learns the names of all that they have
 */
export async function newCallers(target: Target, everybody: KnownValues): Promise<GeneratedCaller[]> {
  const agents = await agentsOf(target, new KnownValues(everybody));
  const people = await peopleOf(target, new KnownValues(everybody));
  const nobody = { name: "nobody", headers: {}, known: everybody };
  const liar = { name: "liar", headers: bearer(`cof_sk_live_${"0".repeat(48)}`), known: everybody };
  const administrator = { name: "administrator", ...newSession(target, new KnownValues(everybody), true) };
  await newDrive(target, administrator);
  return [nobody, liar, ...agents, ...people, administrator, administrator];
}

/** The key of a new unclaimed drive, and a read-only one. */
async function agentsOf(target: Target, known: KnownValues): Promise<GeneratedCaller[]> {
  const provisioned = await new Client(target.url).post<Provisioned>("/v0/drives/provision", {
    name: "An agent's",
  });
  known.learn("provisionDrive", provisioned);
  known.add("drive", provisioned.data.drive_id);
  const key = provisioned.data.api_key;
  await fill(new Client(target.url, key), provisioned.data.drive_id, known);
  const agent = { name: "agent", headers: bearer(key), known };
  const reading = await newKey(target, agent, { scope: "read-only" });
  return [agent, agent, agent, agent, { name: "agent's reader", headers: bearer(reading), known }];
}

/** A new user who is signed in, and the user's keys. */
async function peopleOf(target: Target, known: KnownValues): Promise<GeneratedCaller[]> {
  const person = { name: "person", ...newSession(target, known, false) };
  const drive = await newDrive(target, person);
  const account = await newKey(target, person, {});
  await fill(new Client(target.url, account), drive, known);
  const withKey = { name: "account", headers: bearer(account), known };
  const reading = await newKey(target, person, { scope: "read-only" });
  const limited = await newKey(target, person, { drive_id: drive });
  const elsewhere = { ...person.headers, origin: "http://evil.example" };
  return [
    withKey,
    withKey,
    withKey,
    person,
    person,
    { name: "account's reader", headers: bearer(reading), known },
    { name: "account's drive", headers: bearer(limited), known },
    { name: "person on another page", headers: elsewhere, known },
  ];
}

/** The id of a new drive. */
async function newDrive(target: Target, { headers, known }: GeneratedCaller): Promise<string> {
  const options = { body: { name: "Files" }, headers };
  const made = await new Client(target.url).json<{ data: { id: string } }>(
    201,
    "POST",
    "/v0/drives",
    options,
  );
  known.learn("createDrive", made);
  return made.data.id;
}

async function newKey(target: Target, { headers, known }: GeneratedCaller, body: Json): Promise<string> {
  const options = { body, headers };
  const made = await new Client(target.url).json<{ key: string }>(201, "POST", "/v0/keys", options);
  known.learn("createKey", made);
  return made.key;
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** A new user who is signed in, as the headers of a page of this server. */
function newSession(
  target: Target,
  known: KnownValues,
  isAdmin: boolean,
): Pick<GeneratedCaller, "headers" | "known"> {
  const username = `user-${crypto.randomUUID().slice(0, 8)}`;
  addAccount(target, username);
  if (isAdmin)
    changeDatabase(target.dataDir, `UPDATE user SET admin = 'setup' WHERE username = '${username}'`);
  const { id, token } = storeSession(target.dataDir, username);
  known.add("session", id);
  known.add("username", username);
  return { headers: { cookie: `coffer_session=${token}`, origin: target.url }, known };
}

async function fill(client: Client, drive: string, known: KnownValues): Promise<void> {
  const files = { "notes/hello.txt": "Hello World!", "a/b.json": '{"a":[1,2]}', "x.png": "\u0089PNG" };
  for (const [path, body] of Object.entries(files)) {
    const query = new URLSearchParams({ drive_id: drive, path });
    known.learn("putFile", await client.json(201, "PUT", `/v0/files?${query.toString()}`, { body }));
  }
  const id = known.latest("file");
  const text = new URLSearchParams({ drive_id: drive, path: "notes/hello.txt" }).toString();
  await client.json(200, "PUT", `/v0/files?${text}`, { body: "Hello again!" });
  known.learn("listVersions", await client.get(`/v0/files/by-path/versions?${text}`));
  known.learn("createSnapshot", await client.post(`/v0/drives/${drive}/snapshots`));
  // Nothing has such a name.
  const hook = { url: "https://hook.invalid/", events: ["*"] };
  known.learn("createWebhook", await client.post("/v0/webhooks", hook));
  for (const one_time of [false, true]) {
    const link = await client.post(`/v0/files/${id}/presigned-url`, { one_time }, 200);
    known.learn("createPresignedUrl", link);
  }
  // What is deleted later is seldom named before the drive is left for another.
  const old = `/v0/files/by-path?${new URLSearchParams({ drive_id: drive, path: "a/old.txt" }).toString()}`;
  await client.json(201, "PUT", old.replace("/by-path", ""), { body: "Old" });
  known.learn("deleteFileByPath", await client.delete(old));
  const body = { drive_id: drive, path: "notes/linked.txt" };
  known.learn("createUploadLink", await client.post("/v0/upload-links", body));
  for (const path of ["notes/", "a/b.json"]) {
    const link = await client.post("/v0/links", { drive_id: drive, path });
    known.learn("createLink", link);
  }
}
