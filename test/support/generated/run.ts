import { type Answer, Client, type Json } from "../server/client.ts";
import { Description } from "../schemas/description.ts";
import { isObject } from "../schemas/json-schema.ts";
import { Random } from "../server/random.ts";
import { KnownValues } from "./known-values.ts";
import { type GeneratedRequest, generatedRequest } from "./requests.ts";
import type { Clock } from "../../../src/process/clock.ts";
import { addAccount } from "../server/accounts.ts";
import { changeDatabase } from "../faults/change-database.ts";
import { storeSession } from "../server/sign-in.ts";

/** A running Coffer, in this process or not. */
interface Target {
  readonly url: string;
  readonly dataDir: string;
  readonly clock: Clock;
}

/** Who asks: a name, and the headers that say so. */
interface GeneratedCaller {
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
async function newCallers(target: Target, everybody: KnownValues): Promise<GeneratedCaller[]> {
  const agents = await agentsOf(target, new KnownValues(everybody));
  const people = await peopleOf(target, new KnownValues(everybody));
  const nobody = { name: "nobody", headers: {}, known: everybody };
  const liar = { name: "liar", headers: bearer(`cof_sk_live_${"0".repeat(48)}`), known: everybody };
  const administrator = newSession(target, "administrator", new KnownValues(everybody));
  changeDatabase(
    target.dataDir,
    `UPDATE user SET admin = 'setup' WHERE username = '${administrator.known.latest("username")}'`,
  );
  await create<MadeDrive>(target, administrator, "drives", { name: "Files" });
  return [nobody, liar, ...agents, ...people, administrator, administrator];
}

/** The key of a new unclaimed drive, and a read-only one. */
async function agentsOf(target: Target, known: KnownValues): Promise<GeneratedCaller[]> {
  const nobody = { name: "nobody", headers: {}, known };
  const { data } = await create<Provisioned>(target, nobody, "drives/provision", { name: "An agent's" });
  known.add("drive", data.drive_id);
  await fill(new Client(target.url, data.api_key), data.drive_id, known);
  const agent = { name: "agent", headers: bearer(data.api_key), known };
  const reader = await withKey(target, agent, "agent's reader", { scope: "read-only" });
  return [agent, agent, agent, agent, reader];
}

/** A new user who is signed in, and the user's keys. */
async function peopleOf(target: Target, known: KnownValues): Promise<GeneratedCaller[]> {
  const person = newSession(target, "person", known);
  const { data: drive } = await create<MadeDrive>(target, person, "drives", { name: "Files" });
  const account = await withKey(target, person, "account", {});
  await fill(new Client(target.url, account.key), drive.id, known);
  return [
    account,
    account,
    account,
    person,
    person,
    await withKey(target, person, "account's reader", { scope: "read-only" }),
    await withKey(target, person, "account's drive", { drive_id: drive.id }),
    {
      ...person,
      name: "person on another page",
      headers: { ...person.headers, origin: "http://evil.example" },
    },
  ];
}

interface MadeDrive {
  readonly data: { readonly id: string };
}

/** What a caller creates, which is known from then on. */
async function create<T>(
  { url }: Target,
  { headers, known }: GeneratedCaller,
  what: string,
  body: Json,
): Promise<T> {
  const made = await new Client(url).json<T>(201, "POST", `/v0/${what}`, { body, headers });
  known.learn("", made);
  return made;
}

/** Somebody with a new key of a caller's. */
async function withKey(target: Target, owner: GeneratedCaller, name: string, body: Json) {
  const { key } = await create<{ key: string }>(target, owner, "keys", body);
  return { name, key, headers: bearer(key), known: owner.known };
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** A new user who is signed in, as the headers of a page of this server. */
function newSession(target: Target, name: string, known: KnownValues): GeneratedCaller {
  const username = `user-${crypto.randomUUID().slice(0, 8)}`;
  addAccount(target, username);
  const { id, token } = storeSession(target.dataDir, username);
  known.add("session", id);
  known.add("username", username);
  return { name, headers: { cookie: `coffer_session=${token}`, origin: target.url }, known };
}

async function fill(client: Client, drive: string, known: KnownValues): Promise<void> {
  const files = { "notes/hello.txt": "Hello World!", "a/b.json": '{"a":[1,2]}', "x.png": "\u0089PNG" };
  for (const [path, body] of Object.entries(files))
    known.learn("putFile", await client.put(drive, path, body));
  const id = known.latest("file");
  await client.put(drive, "notes/hello.txt", "Hello again!", 200);
  known.learn(
    "listVersions",
    await client.get(`/v0/files/by-path/versions?drive_id=${drive}&path=notes%2Fhello.txt`),
  );
  const said = { text: "Why, @person-1?" };
  known.learn("addComment", await client.post(`/v0/files/${id}/comments`, said));
  known.learn("createSnapshot", await client.post(`/v0/drives/${drive}/snapshots`));
  // Nothing has such a name.
  const hook = { url: "https://hook.invalid/", events: ["*"] };
  known.learn("createWebhook", await client.post("/v0/webhooks", hook));
  for (const one_time of [false, true]) {
    const link = await client.post(`/v0/files/${id}/presigned-url`, { one_time }, 200);
    known.learn("createPresignedUrl", link);
  }
  // What is deleted later is seldom named before the drive is left for another.
  const { id: old } = await client.put(drive, "a/old.txt", "Old");
  known.learn("deleteFile", await client.delete(`/v0/files/${old}`));
  const body = { drive_id: drive, path: "notes/linked.txt" };
  known.learn("createUploadLink", await client.post("/v0/upload-links", body));
  for (const path of ["notes/", "a/b.json"])
    known.learn("createLink", await client.post("/v0/links", { drive_id: drive, path }));
}

/** How many requests are under way at once, and after how many there are new callers. */
const AT_ONCE = 8;
const TURN = 80;

/** Codes that no request may be answered with while the server is whole. */
const NEVER: ReadonlySet<unknown> = new Set(["INTERNAL", "UNAVAILABLE", "STORAGE_FULL", "server_error"]);

/** What came of a run. */
interface Outcome {
  /** What was wrong, each once, with the first request that showed it. */
  readonly faults: readonly string[];
  /** The operations that never succeeded. */
  readonly unreached: readonly string[];
}

/**
 * Sends generated requests to every operation of the served description, and checks each answer against it. The same
 * seed makes the same requests, apart from the names that the server gives things.
 */
export async function sendGenerated(target: Target, seed: number, count: number): Promise<Outcome> {
  const description = await Description.of(new Client(target.url));
  const everybody = new KnownValues();
  const faults = new Map<string, string>();
  const reached = new Set<string>();
  const send = async (random: Random, callers: readonly GeneratedCaller[]) => {
    const caller = random.pick(callers);
    const request = generatedRequest(description, caller.known, random);
    const { operation, address, body } = request;
    const headers = { ...request.headers, ...caller.headers };
    const options = body === undefined ? { headers } : { headers, body };
    const answer = await new Client(target.url).send(operation.method, address, options);
    const { id } = operation;
    if (answer.status < 300) reached.add(id);
    for (const fault of faultsOf(description, request, answer)) {
      const name = `${id}: ${fault}`;
      if (!faults.has(name))
        faults.set(name, `${name}\n  ${shown(request, caller)}\n  ${answer.text.slice(0, 500)}`);
    }
    if (answer.status < 300 && isJson(answer)) caller.known.learn(id, JSON.parse(answer.text));
  };
  for (let turn = 0; turn * TURN < count; turn += 1) {
    const callers = await newCallers(target, everybody);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, lane) => {
        const random = new Random(seed + turn * AT_ONCE + lane);
        for (let sent = lane; sent < TURN; sent += AT_ONCE) await send(random, callers);
      }),
    );
  }
  const unreached = description.operations.map(({ id }) => id).filter((id) => !reached.has(id));
  return { faults: [...faults.values()], unreached };
}

function faultsOf(
  description: Description,
  { operation, headers }: GeneratedRequest,
  answer: Answer,
): string[] {
  const faults = description.answerFaults(operation, answer);
  const id = answer.headers.get("x-request-id");
  const sent = headers["x-request-id"] ?? "";
  if (/^[!-~]{1,128}$/.test(sent) && id !== sent) faults.push("the request id is not the client's");
  if (answer.status < 400 || !isJson(answer)) return faults;
  const json: unknown = JSON.parse(answer.text);
  if (!isObject(json)) return faults;
  // As OAuth has it, the error is one level higher.
  const error = isObject(json["error"]) ? json["error"] : json;
  const code = error["code"] ?? error["error"];
  if (NEVER.has(code)) faults.push(`the code is ${String(code)}`);
  if (error["request_id"] !== id) faults.push("the error has another request id");
  return faults;
}

function isJson({ headers }: Answer): boolean {
  const isContent = headers.has("content-disposition");
  return !isContent && headers.get("content-type")?.startsWith("application/json") === true;
}

/** A request as text, so that it can be sent again. */
function shown({ operation, address, headers, body }: GeneratedRequest, { name }: GeneratedCaller): string {
  const text = typeof body === "string" ? JSON.stringify(body) : (body?.toString("latin1") ?? "no body");
  return `${name}: ${operation.method} ${address.slice(0, 1000)} ${JSON.stringify(headers)} ${text.slice(0, 1000)}`;
}
