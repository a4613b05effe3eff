import { changeDatabase } from "../faults/change-database.ts";
import { recordWork } from "../faults/recorded-work.ts";
import { pendingRequest } from "../peers/oauth.ts";
import type { TestAppliance } from "./appliance.ts";
import { PNG } from "../samples/samples.ts";
import type { Client } from "./client.ts";
import { provision } from "./scenario.ts";
import { beginSession } from "./sign-in.ts";
import type { World } from "./world.ts";

/** A webhook that nothing of these tests is sent to. */
export const HOOK = { url: "https://agent.example/hook", events: ["snapshot.deleted"] };

/** What requests name in braces, by the names that they have for it. */
export type Named = Readonly<Record<string, string>>;

/** What the parameter of a route is called, by the name before it; others are `id`. */
const PARAMETERS: Named = {
  claim: "token",
  deliveries: "did",
  members: "user_id",
  presigned: "token",
  shared: "token",
  snapshots: "sid",
  uploads: "token",
  versions: "n",
  works: "wid",
};

/** The route of the API description of a request such as `GET /v0/files/{file}/versions/1?x=y`. */
export function routeOf(request: string): string {
  const [route = ""] = request.split("?");
  return route.replaceAll(
    /(\w+)\/(?:\{\w+\}|1\b)/g,
    (_, before: string) => `${before}/{${PARAMETERS[before] ?? "id"}}`,
  );
}

/** The same request about `{file}`, which names that by its drive and path. */
export function byPath(request: string): string {
  const named = request.replace("{file}", "by-path");
  return `${named}${named.includes("?") ? "&" : "?"}drive_id={drive}&path={path}`;
}

/** Takes a snapshot of a drive. Returns its id. */
export async function takeSnapshot(client: Client, drive: string): Promise<string> {
  return (await client.post<{ data: { id: string } }>(`/v0/drives/${drive}/snapshots`)).data.id;
}

/** Uploads a file and deletes it. Returns its entry in the trash. */
export async function putIntoTrash(client: Client, drive: string, path: string, body = "x"): Promise<string> {
  await client.put(drive, path, body);
  const query = `drive_id=${drive}&path=${path}`;
  return (await client.delete<{ trash_id: string }>(`/v0/files/by-path?${query}`)).trash_id;
}

/** Uploads a file and deletes it as one of many. Returns the batch. */
export async function deleteMany(client: Client, drive_id: string, path: string): Promise<string> {
  await client.put(drive_id, path, "x");
  const body = { drive_id, paths: [path] };
  return (await client.post<{ batch_id: string }>("/v0/files/bulk-delete", body, 200)).batch_id;
}

/** Makes a link to upload to. Returns its token. */
export async function linkUpload(client: Client, drive_id: string, path: string): Promise<string> {
  const { url } = await client.post<{ url: string }>("/v0/upload-links", { drive_id, path });
  return url.split("/").at(-1) ?? "";
}

/** Where things for one case are made, and by whom. */
interface Place {
  readonly coffer: TestAppliance;
  readonly world: Pick<World, "carol">;
  readonly client: Client;
  readonly drive: string;
  /** Of a file that is not there yet, in a folder. */
  readonly path: string;
}

/** What was made for one case. */
export interface Target extends Named {
  readonly drive: string;
  /** A path that ends in a slash. */
  readonly folder: string;
  readonly file: string;
}

let targets = 0;

/** Makes a file of "Hello World!", or a picture for thumbnails, and what else is mentioned, since it takes long. */
export async function makeTarget(place: Place, mentioned: string): Promise<Target> {
  const { client, drive, path } = place;
  targets += 1;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, -name.length);
  if (/version|diff/.test(mentioned)) await client.put(drive, path, "Before that");
  const file = mentioned.includes("/thumbnail")
    ? await client.store(drive, path, PNG, "&content_type=image/png")
    : await client.store(drive, path, "Hello World!");
  const made = { drive, path, folder, name, file, carol: place.world.carol, suffix: String(targets) };
  for (const [words, make] of RARELY) {
    if (words.test(mentioned)) Object.assign(made, await make({ ...place, folder, file, mentioned }));
  }
  return made;
}

/** The same in a new drive of Ada's, for one test alone. */
export async function makeOwnTarget(
  { coffer, world }: { readonly coffer: TestAppliance; readonly world: World },
  mentioned: string,
  path = "dir/file.txt",
): Promise<Target> {
  const client = world.clients.ada;
  const { id: drive } = await client.makeDrive("Target");
  return makeTarget({ coffer, world, client, drive, path }, mentioned);
}

type Mentioned = Place & Record<"folder" | "file" | "mentioned", string>;
type Make = (place: Mentioned) => Named | Promise<Named>;

const RARELY: readonly (readonly [words: RegExp, make: Make])[] = [
  [/\{key\}/, async ({ client, drive }) => ({ key: (await client.makeKey({ drive_id: drive })).id })],
  [/\{snapshot\}/, async ({ client, drive }) => ({ snapshot: await takeSnapshot(client, drive) })],
  [/\{comment\}/, comment],
  [/carol/, addCarol],
  [/\{presigned\}/, linkOnce],
  [/\{(link|share)\}/, share],
  [/webhook/, makeWebhook],
  [
    /\{upload\}/,
    async ({ client, drive, folder }) => ({ upload: await linkUpload(client, drive, `${folder}by-link`) }),
  ],
  [/\{claim\}/, async ({ coffer }) => ({ claim: (await provision(coffer)).claimToken })],
  [/\{user\}/, ({ coffer }) => ({ user: makeUser(coffer) })],
  [/\{session\}/, ({ coffer }) => ({ session: beginSession(coffer, "ada").id })],
  [/\{request\}/, async ({ coffer }) => ({ request: await pendingRequest(coffer) })],
  [
    /trash/,
    async ({ client, drive, folder }) => ({ trash: await putIntoTrash(client, drive, `${folder}gone`) }),
  ],
  [/\{trashedFolder\}/, removeFolder],
  [
    /\{batch\}/,
    async ({ client, drive, folder }) => ({ batch: await deleteMany(client, drive, `${folder}one`) }),
  ],
  // Last: others would wait for it.
  [/\{work\}/, ({ coffer, drive, folder }) => ({ work: recordWork(coffer.dataDir, drive, folder) })],
];

/** She becomes a reader, unless she is in the drive, or nobody can be. */
async function addCarol({ client, drive }: Place): Promise<Named> {
  await client.send("POST", `/v0/drives/${drive}/members`, { body: { username: "carol", role: "reader" } });
  return {};
}

async function comment({ client, file }: Mentioned): Promise<Named> {
  return { comment: (await client.post<{ id: string }>(`/v0/files/${file}/comments`, { text: "Why?" })).id };
}

/** A link that is good for one time. */
async function linkOnce({ client, file }: Mentioned): Promise<Named> {
  const body = { one_time: true };
  const { token } = await client.post<{ token: string }>(`/v0/files/${file}/presigned-url`, body, 200);
  return { presigned: token };
}

/** A link that shows the folder; with a password where that is asked for. */
async function share({ client, drive, folder, mentioned }: Mentioned): Promise<Named> {
  const locked = mentioned.includes("/unlock") ? { password: "open sesame" } : {};
  const body = { drive_id: drive, path: folder, ...locked };
  const { id, token } = await client.post<{ id: string; token: string }>("/v0/links", body);
  return { link: id, share: token };
}

/** Replaces all webhooks of a caller by one, with a delivery where that is mentioned: there may be only a few. */
export async function makeWebhook({
  client,
  drive,
  mentioned,
}: Pick<Mentioned, "client" | "drive" | "mentioned">) {
  const { data } = await client.get<{ data: { id: string }[] }>("/v0/webhooks");
  for (const { id } of data) await client.delete(`/v0/webhooks/${id}`);
  const { id } = await client.post<{ id: string }>("/v0/webhooks", { ...HOOK, drive_id: drive });
  if (!mentioned.includes("{delivery}")) return { webhook: id };
  const sent = await client.post<{ id: string }>(`/v0/webhooks/${id}/test`);
  return { webhook: id, delivery: sent.id };
}

/** Somebody new, who has no password. */
function makeUser({ dataDir }: TestAppliance): string {
  const id = Bun.randomUUIDv7();
  const values = `'${id}', 'user-${targets}', 'free', 1`;
  changeDatabase(dataDir, `INSERT INTO user (id, username, plan, created_at) VALUES (${values})`);
  return id;
}

/** A folder in the trash. */
async function removeFolder({ client, drive }: Place): Promise<Named> {
  await client.put(drive, "removed/x");
  const body = { drive_id: drive, path: "removed/", confirm: true };
  return { trashedFolder: (await client.delete<{ trash_id: string }>("/v0/folders", body)).trash_id };
}
