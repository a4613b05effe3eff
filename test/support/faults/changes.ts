import { Database as Sqlite } from "bun:sqlite";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../../src/process/clock.ts";
import { changeDatabase } from "./change-database.ts";
import { addAccount, addKey } from "../server/accounts.ts";
import { startAppliance } from "../server/appliance.ts";
import type { Answer, Client, Json } from "../server/client.ts";
import type { Server } from "../server/executable.ts";
import { contentOf, formOf } from "./faults.ts";
import { hashOf } from "../samples/hash.ts";
import { fill, fillJson, provision } from "../server/scenario.ts";
import { deleteMany, type Named, linkUpload, putIntoTrash, takeSnapshot } from "../server/targets.ts";
import { indexAll } from "../server/settled-index.ts";
import { beginSession } from "../server/sign-in.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../server/temporary-directory.ts";

const KIB = 1024;

/** Settings for changes: nothing happens by itself. */
export const QUIET = { COFFER_SWEEP_INTERVAL: "1h" };

const SMALL = 3 * KIB;
/** Over what a writer keeps in memory, and what the database keeps. */
const LARGE = 200 * KIB;

/** The agent's files, by the names that changes have for them. */
const FILES: Readonly<Record<string, readonly [path: string, size: number]>> = {
  small: ["small.bin", KIB],
  large: ["large.bin", 150 * KIB],
  single: ["single.bin", KIB],
  replaced: ["replaced.bin", KIB],
  a: ["folder/a.bin", KIB],
  c: ["folder/b/c.bin", KIB],
  d: ["folder/b/d.bin", KIB],
  e: ["other/e.bin", KIB],
  g: ["other/f/g.bin", KIB],
};

const HOOK = { url: "https://a.example/", events: ["member.removed"] };

/** A data directory of a server that was stopped cleanly, and what every change needs in it. */
export interface Prepared extends AsyncDisposable {
  readonly dataDir: string;
  /** Of an agent, and its drive. */
  readonly key: string;
  readonly drive: string;
  /** What the changes name in braces. */
  readonly named: Named;
  /** Of an account. */
  readonly accountKey: string;
  /** The cookie of the account's session. */
  readonly cookie: string;
  /** A place with a copy of the data directory. */
  copied(): Promise<TemporaryDirectory>;
}

/** @param parent where the directory is; see `temporaryDirectory` */
export async function prepare(parent?: string): Promise<Prepared> {
  // What it makes has the times of now.
  await using coffer = await startAppliance({}, { prepare: () => Promise.resolve(systemClock.now()) });
  const { id: drive, key, client } = await provision(coffer);
  const named: Record<string, string> = { drive };
  for (const [name, [path, size]] of Object.entries(FILES))
    named[name] = await client.store(drive, path, Uint8Array.from(contentOf(path, size)));
  await client.store(drive, "replaced.bin", Uint8Array.from(contentOf("replacing", KIB)));
  // Since these snapshots there is a file more in `folder/`.
  named["one"] = await takeSnapshot(client, drive);
  named["other"] = await takeSnapshot(client, drive);
  await client.put(drive, "folder/since.bin", "since");
  const presigned = `/v0/files/${named["small"]}/presigned-url`;
  named["presigned"] = (await client.post<{ token: string }>(presigned, { one_time: true }, 200)).token;
  named["trash"] = await putIntoTrash(client, drive, "trashed.bin", "trashed");
  named["thirdTrash"] = await putIntoTrash(client, drive, "third.bin", "third");
  named["otherTrash"] = await putIntoTrash(client, drive, "other.bin", "other");
  named["batch"] = await deleteMany(client, drive, "batch.bin");
  await client.put(drive, "undone.bin", "undone");
  named["trashedFolder"] = await trashFolder(client, drive);
  named["spareKey"] = (await client.makeKey({ name: "spare" })).id;
  named["upload"] = await linkUpload(client, drive, "linked.bin");
  named["link"] = (await client.post<{ id: string }>("/v0/links", { drive_id: drive, path: "other/" })).id;
  const comments = `/v0/files/${named["large"]}/comments`;
  for (const name of ["comment", "otherComment"])
    named[name] = (await client.post<{ id: string }>(comments, { text: `For @${name}` })).id;
  // It is told of nothing that is done here.
  named["webhook"] = (await client.post<{ id: string }>("/v0/webhooks", HOOK)).id;
  named["claim"] = (await provision(coffer, "Unclaimed")).claimToken;
  for (const username of ["ada", "bob"]) addAccount(coffer, username);
  const { cookie } = beginSession(coffer, "ada").browser;
  const accountKey = addKey(coffer, "ada");
  named["accountDrive"] = (await coffer.client(accountKey).makeDrive("Own")).id;
  // Then the index has nothing left to do after the next start.
  await indexAll(coffer);
  await coffer.close();
  const place = await temporaryDirectory(parent);
  const dataDir = join(place.path, "prepared");
  await cp(coffer.dataDir, dataDir, { recursive: true });
  // So that the next server can be set up again.
  changeDatabase(dataDir, "UPDATE user SET admin = NULL");
  const remove = () => place[Symbol.asyncDispose]();
  const copied = async () => {
    const copy = await temporaryDirectory(parent);
    await cp(dataDir, copy.dataDir, { recursive: true });
    return copy;
  };
  return { dataDir, key, drive, named, accountKey, cookie, copied, [Symbol.asyncDispose]: remove };
}

/** Makes a folder with a file and an empty folder, and deletes it. Returns its entry in the trash. */
async function trashFolder(client: Client, drive: string): Promise<string> {
  const body = { drive_id: drive, path: "trashed/" };
  await client.post("/v0/folders", { ...body, path: "trashed/empty/" });
  await client.put(drive, "trashed/h.bin", Uint8Array.from(contentOf("h", KIB)));
  const gone = await client.delete<{ trash_id: string }>("/v0/folders", { ...body, confirm: true });
  return gone.trash_id;
}

/** A write that must happen completely or not at all. */
export interface Change {
  readonly name: string;
  /** Sends the request. If it has an Idempotency-Key, it may be sent again. */
  readonly run: (server: Server, prepared: Prepared) => Promise<Answer>;
  /** Whether the request has an Idempotency-Key. */
  readonly isOnce: boolean;
  /** Whether it may take several commits, whatever its size: the next start completes what says so. */
  readonly isInSteps?: true;
}

/** Whether all of a change is one commit. */
export function isOneCommit({ isInSteps }: Change): boolean {
  return isInSteps !== true;
}

/** The same for each try of a change. */
function onceFor(name: string): Record<string, string> {
  return { "idempotency-key": hashOf(Buffer.from(name)) };
}

type Sent = Json | Uint8Array<ArrayBuffer>;

/** A request with an Idempotency-Key, of the agent or of somebody else. It names in braces what was prepared. */
function once(
  name: string,
  request: string,
  body?: Sent,
  by: "agent" | "account" | "nobody" = "agent",
  isOnce = true,
): Change {
  return {
    name,
    isOnce,
    run: (server, { key, accountKey, named }) => {
      const [method = "", path = ""] = fill(request, named).split(" ");
      const client = server.client({ agent: key, account: accountKey, nobody: undefined }[by]);
      const headers = isOnce ? onceFor(name) : {};
      if (body === undefined) return client.send(method, path, { headers });
      const sent = body instanceof Uint8Array ? body : fillJson(body, named);
      return client.send(method, path, { headers, body: sent });
    },
  };
}

/** A request of somebody without a key, which cannot be sent again. */
function unrepeated(name: string, request: string, body?: Sent): Change {
  return once(name, request, body, "nobody", false);
}

function put(name: string, path: string, size: number): Change {
  const body = Uint8Array.from(contentOf(`new ${path}`, size));
  return once(name, `PUT /v0/files?drive_id={drive}&path=${path}&tags=one,two`, body);
}

const UPLOAD_OF_FORM: Change = {
  name: "the upload of a file in a form",
  isOnce: true,
  run: async (server, { key, drive }) => {
    const content = Uint8Array.from(contentOf("form", LARGE));
    const { body, headers } = await formOf({ drive_id: drive, path: "new/form.bin" }, content);
    const all = { ...onceFor("the upload of a file in a form"), ...headers };
    return server.client(key).send("POST", "/v0/files", { body, headers: all });
  },
};

const MANY_FILES: Change = {
  name: "the upload of many files",
  isOnce: true,
  isInSteps: true,
  run: async (server, { key, drive }) => {
    const files = { "many/small": SMALL, "many/large": LARGE, "small.bin": SMALL };
    const body = Object.entries(files)
      .map(([path, size]) => JSON.stringify({ path, content: contentOf(`many ${path}`, size).toBase64() }))
      .join("\n");
    const headers = { ...onceFor("the upload of many files"), "content-type": "application/jsonl" };
    return server.client(key).send("POST", `/v0/files/batch?drive_id=${drive}`, { body, headers });
  },
};

const drive_id = "{drive}";

/** The writes that every fault is injected into. */
export const FILE_CHANGES: readonly Change[] = [
  put("the replace of a small file", "small.bin", SMALL),
  put("the replace of a file over 64 KiB", "large.bin", LARGE),
  once("the deletion of a folder", "DELETE /v0/folders", { drive_id, path: "folder/b/", confirm: true }),
  once("the deletion of a file", "DELETE /v0/files/{single}"),
];

/** The other kinds of writes. */
const OTHERS: readonly Change[] = [
  // First: what comes later moves files out of the folder and into it.
  once("the taking of a snapshot", "POST /v0/drives/{drive}/snapshots", { name: "Taken" }),
  once("the restore of a snapshot", "POST /v0/drives/{drive}/snapshots/{one}/restore", { path: "folder/" }),
  once("the deletion of a snapshot", "DELETE /v0/drives/{drive}/snapshots/{other}"),
  once("the upload of a small file in JSON", "POST /v0/files", {
    drive_id,
    filename: "n.bin",
    path: "new/n.bin",
    content: btoa("a new content"),
    tags: ["one"],
  }),
  put("the upload of a file over 64 KiB", "new/deep/n.bin", LARGE),
  UPLOAD_OF_FORM,
  MANY_FILES,
  once("the change of a file's path, tags and metadata", "PATCH /v0/files/{single}", {
    path: "renamed.bin",
    tags: ["three"],
    metadata: { by: "nobody" },
  }),
  once("the move of a file over another", "POST /v0/files/{single}/move", {
    destination_path: "folder/a.bin",
    overwrite: true,
  }),
  once("the copy of a file", "POST /v0/files/{large}/copy", { destination_path: "copies/large.bin" }),
  once("the edit of a small file", "POST /v0/files/{small}/edit", {
    edits: [
      { op: "insert", line: 0, text: "a line" },
      { op: "append", text: "the end" },
    ],
  }),
  once("the appending to a file over 64 KiB", "POST /v0/files/{large}/edit", {
    op: "append",
    text: "another line\n",
  }),
  once("the return of an earlier content", "POST /v0/files/{replaced}/versions/1/restore"),
  once("the label of a content", "PUT /v0/files/{replaced}/versions/1/label", { label: "good" }),
  once("the deletion of an earlier content", "DELETE /v0/files/{replaced}/versions/1"),
  once("a comment on a file", "POST /v0/files/{large}/comments", { text: "Why, @ada?" }),
  once("an answer to a comment", "POST /v0/files/{large}/comments", { text: "So.", reply_to: "{comment}" }),
  once("the end of a comment", "PATCH /v0/comments/{comment}", { text: "Done, @bob", resolved: true }),
  once("the deletion of a comment", "DELETE /v0/comments/{otherComment}"),
  once("the deletion of many files", "POST /v0/files/bulk-delete", { file_ids: ["{c}", "{d}"] }),
  once("the undoing of a change", "POST /v0/undo", { drive_id, path: "undone.bin" }),
  {
    ...once("the undoing of a batch", "POST /v0/undo", { drive_id, batch_id: "{batch}" }),
    isInSteps: true,
  },
  once("the creation of a folder", "POST /v0/folders", { drive_id, path: "x/y/z/" }),
  once("the copy of a folder", "POST /v0/folders/copy", {
    drive_id,
    path: "folder/",
    destination_path: "copied/",
  }),
  once("the move of a folder", "POST /v0/folders/move", {
    drive_id,
    path: "other/",
    destination_path: "moved/other/",
  }),
  once("the return of a file from the trash", "POST /v0/trash/{trash}/restore", { message: "It is needed" }),
  once("the return of a folder from the trash", "POST /v0/trash/{trashedFolder}/restore", {
    path: "restored/",
  }),
  {
    ...once("the return of much from the trash", "POST /v0/trash/restore", { trash_ids: ["{thirdTrash}"] }),
    isInSteps: true,
  },
  once("the end of an entry of the trash", "DELETE /v0/trash/{otherTrash}"),
  once("the creation of a drive", "POST /v0/drives", { name: "Another" }, "account"),
  once(
    "the creation of a drive without an account",
    "POST /v0/drives/provision",
    { name: "Anybody's" },
    "nobody",
  ),
  once("the renaming of a drive", "PATCH /v0/drives/{accountDrive}", { name: "Renamed" }, "account"),
  once(
    "the sharing of a drive",
    "POST /v0/drives/{accountDrive}/members",
    { username: "bob", role: "editor" },
    "account",
  ),
  {
    name: "a visit in a drive",
    isOnce: true,
    run: (server, { cookie, named }) =>
      server.client().send("PUT", fill("/v0/drives/{accountDrive}/visit", named), {
        headers: { ...onceFor("a visit in a drive"), cookie, origin: server.url },
      }),
  },
  once("the fork of a drive", "POST /v0/drives/{accountDrive}/fork", { name: "Forked" }, "account"),
  once("the deletion of a drive", "DELETE /v0/drives/{accountDrive}", undefined, "account"),
  once("a claim", "POST /v0/drives/claim", { token: "{claim}" }, "account"),
  once("the creation of a key", "POST /v0/keys", { name: "new", path_prefix: "folder/" }),
  once("the revocation of a key", "DELETE /v0/keys/{spareKey}"),
  once("the creation of a link", "POST /v0/files/{large}/presigned-url", {}),
  unrepeated("the use of a link that works once", "GET /v0/presigned/{presigned}"),
  once("the creation of an upload link", "POST /v0/upload-links", {
    drive_id,
    path: "in/by-link.bin",
    max_size: LARGE,
  }),
  once("the creation of a link with a password", "POST /v0/links", {
    drive_id,
    path: "folder/",
    password: "open sesame",
  }),
  once("the creation of a webhook", "POST /v0/webhooks", { ...HOOK, url: "https://b.example/" }),
  once("the change of a webhook", "PATCH /v0/webhooks/{webhook}", {
    url: "https://c.example/",
    enabled: false,
  }),
  once("the deletion of a webhook", "DELETE /v0/webhooks/{webhook}"),
  once("the revocation of a link", "DELETE /v0/links/{link}"),
  unrepeated(
    "the use of an upload link",
    "PUT /v0/uploads/{upload}",
    Uint8Array.from(contentOf("by link", SMALL)),
  ),
  unrepeated("signing in", "POST /auth/login", { username: "ada", password: "ada's password" }),
  {
    name: "signing out",
    isOnce: false,
    run: (server, { cookie }) =>
      server.client().send("POST", "/auth/logout", { headers: { cookie, origin: server.url } }),
  },
  {
    name: "the setup of a server",
    isOnce: false,
    // With the link that the server prints, beside the log, which may be read sooner.
    run: async (server) => {
      const token = (await server.stderr.until(/setup\?token=(\S+)(?=\s)/))?.[1] ?? "";
      const body = { token, username: "root", password: "root's password" };
      return server.client().send("POST", "/auth/setup", { body });
    },
  },
];

/** One of every kind of write. They can be done one after the other, in this order. */
export const CHANGES: readonly Change[] = [...OTHERS, ...FILE_CHANGES];

/** The rows of a kind of thing in drives that are there, which name their drive in a table `x`. */
function inDrives(kind: string, columns: string, from: string): string {
  return `SELECT '${kind}' AS kind, d.name AS drive, ${columns} FROM ${from} JOIN drive d ON d.pk = x.drive
    WHERE d.deleted_at IS NULL`;
}

/** What each kind of row says, without ids and times, which differ each time. */
const ROWS = [
  inDrives(
    "file",
    "x.path, x.filename, b.digest, x.size, x.tags, x.metadata, x.version",
    "file x JOIN blob b ON b.pk = x.blob",
  ),
  inDrives("folder", "x.path", "folder x"),
  inDrives("version", "x.filename, x.version, b.digest", "file_version x JOIN blob b ON b.pk = x.blob"),
  inDrives(
    "comment",
    "x.text, x.version, x.reply_to IS NULL AS isFirst, x.resolved_at IS NULL AS isOpen",
    "comment x",
  ),
  inDrives("mention", "x.name", "comment_mention x"),
  inDrives("trash", "x.kind AS what, x.path, x.state, x.size, x.file_count", "trash x"),
  inDrives(
    "trashed file",
    "x.path AS entry, f.path, b.digest, f.tags, f.metadata, f.version",
    "trash_file f JOIN trash x ON x.pk = f.entry JOIN blob b ON b.pk = f.blob",
  ),
  inDrives("trashed folder", "x.path AS entry, f.path", "trash_folder f JOIN trash x ON x.pk = f.entry"),
  inDrives("member", "u.username, x.role", "drive_member x JOIN user u ON u.pk = x.user"),
  inDrives("visit", "u.username", "drive_visit x JOIN user u ON u.pk = x.user"),
  inDrives("snapshot", "x.name, x.is_automatic", "(SELECT * FROM snapshot WHERE deleted_at IS NULL) x"),
  inDrives("held", "x.path, b.digest", "held_file x JOIN blob b ON b.pk = x.blob"),
  inDrives(
    "change",
    "x.type, x.path, x.previous_path, hex(x.before_digest) AS was, hex(x.after_digest) AS becomes, x.ref IS NULL AS isOfNothing, x.batch IS NULL AS isAlone, x.message",
    "change x",
  ),
  "SELECT 'batch' AS kind, kind AS does FROM batch",
  `SELECT 'label' AS kind, label, version FROM version_label`,
  `SELECT 'drive' AS kind, d.name, u.username, d.slug, d.expires_at IS NULL AS isKept
     FROM drive d LEFT JOIN user u ON u.pk = d.user WHERE d.deleted_at IS NULL`,
  `SELECT 'key' AS kind, k.name, k.scope, k.path_prefix, u.username, d.name AS drive FROM api_key k
     LEFT JOIN user u ON u.pk = k.user LEFT JOIN drive d ON d.pk = k.drive WHERE d.deleted_at IS NULL`,
  `SELECT 'link' AS kind, one_time, used_at IS NULL AS isUnused FROM presigned_link`,
  `SELECT 'upload link' AS kind, path, max_size, used_at IS NULL AS isUnused FROM upload_link`,
  `SELECT 'share link' AS kind, path, file_id IS NULL AS isFolder, password_hash IS NULL AS isOpen FROM share_link`,
  `SELECT 'webhook' AS kind, url, events, disabled_at IS NULL AS isEnabled FROM webhook`,
  `SELECT 'claim' AS kind, used_at IS NULL AS isUnused, d.name FROM claim_token c JOIN drive d ON d.pk = c.drive`,
  `SELECT 'session' AS kind, u.username FROM session s JOIN user u ON u.pk = s.user`,
  `SELECT 'user' AS kind, username, admin, plan FROM user`,
  `SELECT 'audited' AS kind, action, count, actor_kind, actor_name, username, subject_kind, subject_name, detail
     FROM audit_event WHERE outcome = 'success'`,
];

/** Everything that a data directory says, a line for each thing, sorted. */
export function stateOf(dataDir: string): string[] {
  using sql = new Sqlite(join(dataDir, "coffer.db"), { readonly: true });
  sql.run("PRAGMA busy_timeout = 10000");
  return ROWS.flatMap((query) =>
    sql
      .query(query)
      .all()
      .map((row) => JSON.stringify(row)),
  ).toSorted();
}
