import { Database as Sqlite } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { changeDatabase } from "./change-database.ts";
import type { Answer, Client, Json } from "../server/client.ts";
import { provision, type Server, serve } from "../server/executable.ts";
import { contentOf } from "./faults.ts";
import { hashOf } from "../samples/hash.ts";
import { fill, fillJson } from "../server/scenario.ts";
import { type Named, linkUpload, putIntoTrash, takeSnapshot } from "../server/targets.ts";
import { settledIndex } from "../server/settled-index.ts";
import { sessionIn } from "../server/sign-in.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";

const KIB = 1024;

/** Settings for changes: nothing happens by itself. */
export const QUIET = { COFFER_SWEEP_INTERVAL: "1h" };

const SMALL = 3 * KIB;
/** Over what a writer keeps in memory, and what the database keeps. */
const LARGE = 200 * KIB;

const FILES = {
  "small.bin": KIB,
  "large.bin": 150 * KIB,
  "single.bin": KIB,
  "replaced.bin": KIB,
  "folder/a.bin": KIB,
  "folder/b/c.bin": KIB,
  "folder/b/d.bin": KIB,
  "other/e.bin": KIB,
  "other/f/g.bin": KIB,
} as const;
type Path = keyof typeof FILES;

const HOOK = { url: "https://a.example/", events: ["member.removed"] };

/** A data directory of a server that was stopped cleanly, and what every change needs in it. */
export interface Prepared extends AsyncDisposable {
  readonly dataDir: string;
  /** Of an agent, and its drive. */
  readonly key: string;
  readonly drive: string;
  /** The ids of the agent's files. */
  readonly files: Readonly<Record<Path, string>>;
  /** What else the changes name in braces. */
  readonly named: Named;
  /** Of an account. */
  readonly accountKey: string;
  /** The cookie of the account's session. */
  readonly cookie: string;
}

const ACCOUNT = { username: "ada", password: "ada's password" };

/** @param parent where the directory is; see `temporaryDirectory` */
export async function prepare(parent?: string): Promise<Prepared> {
  const place = await temporaryDirectory(parent);
  const dataDir = join(place.path, "prepared");
  await using server = await serve({ dataDir, env: QUIET });
  const { client, key, drive } = await provision(server);
  const create = (path: Path) => client.store(drive, path, Uint8Array.from(contentOf(path, FILES[path])));
  const files = {
    "small.bin": await create("small.bin"),
    "large.bin": await create("large.bin"),
    "single.bin": await create("single.bin"),
    "replaced.bin": await create("replaced.bin"),
    "folder/a.bin": await create("folder/a.bin"),
    "folder/b/c.bin": await create("folder/b/c.bin"),
    "folder/b/d.bin": await create("folder/b/d.bin"),
    "other/e.bin": await create("other/e.bin"),
    "other/f/g.bin": await create("other/f/g.bin"),
  };
  await client.store(drive, "replaced.bin", Uint8Array.from(contentOf("replacing", KIB)));
  const [one, other] = [await takeSnapshot(client, drive), await takeSnapshot(client, drive)];
  await client.put(drive, "folder/since.bin", "since");
  const presigned = await client.post<{ token: string }>(
    `/v0/files/${files["small.bin"]}/presigned-url`,
    { one_time: true },
    200,
  );
  const ofAgent = {
    drive,
    small: files["small.bin"],
    large: files["large.bin"],
    single: files["single.bin"],
    replaced: files["replaced.bin"],
    c: files["folder/b/c.bin"],
    d: files["folder/b/d.bin"],
    /** Snapshots; since then there is a file more in `folder/`. */
    one,
    other,
    trash: await putIntoTrash(client, drive, "trashed.bin", "trashed"),
    otherTrash: await putIntoTrash(client, drive, "other.bin", "other"),
    trashedFolder: await trashFolder(client, drive),
    spareKey: (await client.makeKey({ name: "spare" })).id,
    /** Works once. */
    presigned: presigned.token,
    upload: await linkUpload(client, drive, "linked.bin"),
    link: (await client.post<{ id: string }>("/v0/links", { drive_id: drive, path: "other/" })).id,
    /** It is told of nothing that is done here. */
    webhook: (await client.post<{ id: string }>("/v0/webhooks", HOOK)).id,
    claim: (await provision(server, "Unclaimed")).claim,
  };
  const cookie = `coffer_session=${sessionIn(await setUp(server, ACCOUNT))}`;
  const headers = { cookie, origin: server.url };
  const account = await server
    .client()
    .json<{ key: string }>(201, "POST", "/v0/keys", { body: { name: "account" }, headers });
  const owned = await server
    .client(account.key)
    .post<{ data: { id: string } }>("/v0/drives", { name: "Own" });
  const member = { username: "bob", password: "bob's password" };
  await server.client().json(201, "POST", "/v0/users", { body: member, headers });
  // Then the index has nothing left to do after the next start.
  await settledIndex(dataDir);
  expect(await server.stop()).toBe(0);
  // So that the next server can be set up again.
  changeDatabase(dataDir, "UPDATE user SET admin = NULL");
  return {
    dataDir,
    key,
    drive,
    files,
    named: { ...ofAgent, accountDrive: owned.data.id },
    accountKey: account.key,
    cookie,
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

/** Makes a folder with a file and an empty folder, and deletes it. Returns its entry in the trash. */
async function trashFolder(client: Client, drive: string): Promise<string> {
  const body = { drive_id: drive, path: "trashed/" };
  await client.post("/v0/folders", { ...body, path: "trashed/empty/" });
  await client.put(drive, "trashed/h.bin", Uint8Array.from(contentOf("h", KIB)));
  const gone = await client.delete<{ trash_id: string }>("/v0/folders", { ...body, confirm: true });
  return gone.trash_id;
}

/** Makes the first account, with the link that the server printed. */
async function setUp(server: Server, account: { username: string; password: string }): Promise<Answer> {
  // It is printed beside the log, which may be read sooner.
  const token = (await server.stderr.until(/setup\?token=(\S+)(?=\s)/))?.[1] ?? "";
  return server.client().send("POST", "/auth/setup", { body: { token, ...account } });
}

/** A write that must happen completely or not at all. */
export interface Change {
  readonly name: string;
  /** Sends the request. If it has an Idempotency-Key, it may be sent again. */
  readonly run: (server: Server, prepared: Prepared) => Promise<Answer>;
  /** Whether the request has an Idempotency-Key. */
  readonly isOnce: boolean;
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
): Change {
  const headers = onceFor(name);
  return {
    name,
    isOnce: true,
    run: (server, { key, accountKey, named }) =>
      ask(
        server.client({ agent: key, account: accountKey, nobody: undefined }[by]),
        named,
        request,
        body,
        headers,
      ),
  };
}

/** A request of somebody without a key, which cannot be sent again. */
function unrepeated(name: string, request: string, body?: Sent): Change {
  return { name, isOnce: false, run: (server, { named }) => ask(server.client(), named, request, body) };
}

function ask(
  client: Client,
  named: Named,
  request: string,
  body: Sent | undefined,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = "", path = ""] = fill(request, named).split(" ");
  if (body === undefined) return client.send(method, path, { headers });
  return client.send(method, path, {
    headers,
    body: body instanceof Uint8Array ? body : fillJson(body, named),
  });
}

function put(name: string, path: string, size: number): Change {
  const body = Uint8Array.from(contentOf(`new ${path}`, size));
  return once(name, `PUT /v0/files?drive_id={drive}&path=${path}&tags=one,two`, body);
}

const FORM = "the upload of a file in a form";
const UPLOAD_OF_FORM: Change = {
  name: FORM,
  isOnce: true,
  run: async (server, { key, drive }) => {
    const form = new FormData();
    form.set("drive_id", drive);
    form.set("path", "new/form.bin");
    form.set("file", new Blob([Uint8Array.from(contentOf("form", LARGE))]), "form.bin");
    const encoded = new Response(form);
    const type = encoded.headers.get("content-type") ?? "";
    return server.client(key).send("POST", "/v0/files", {
      body: new Uint8Array(await encoded.arrayBuffer()),
      headers: { ...onceFor(FORM), "content-type": type },
    });
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
  once("the deletion of an earlier content", "DELETE /v0/files/{replaced}/versions/1"),
  once("the deletion of many files", "POST /v0/files/bulk-delete", { file_ids: ["{c}", "{d}"] }),
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
  once("the return of a file from the trash", "POST /v0/trash/{trash}/restore", {}),
  once("the return of a folder from the trash", "POST /v0/trash/{trashedFolder}/restore", {
    path: "restored/",
  }),
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
  unrepeated("signing in", "POST /auth/login", ACCOUNT),
  {
    name: "signing out",
    isOnce: false,
    run: (server, { cookie }) =>
      server.client().send("POST", "/auth/logout", { headers: { cookie, origin: server.url } }),
  },
  {
    name: "the setup of a server",
    isOnce: false,
    run: (server) => setUp(server, { username: "root", password: "root's password" }),
  },
];

/** One of every kind of write. They can be done one after the other, in this order. */
export const CHANGES: readonly Change[] = [...OTHERS, ...FILE_CHANGES];

/** What each kind of row says, without ids and times, which differ each time. */
const ROWS = [
  `SELECT 'file' AS kind, d.name AS drive, f.path, f.filename, b.digest, f.size, f.tags, f.metadata, f.version
     FROM file f JOIN drive d ON d.pk = f.drive JOIN blob b ON b.pk = f.blob WHERE d.deleted_at IS NULL`,
  `SELECT 'folder' AS kind, d.name AS drive, f.path FROM folder f JOIN drive d ON d.pk = f.drive
    WHERE d.deleted_at IS NULL`,
  `SELECT 'version' AS kind, d.name AS drive, v.filename, v.version, b.digest FROM file_version v
     JOIN drive d ON d.pk = v.drive JOIN blob b ON b.pk = v.blob WHERE d.deleted_at IS NULL`,
  `SELECT 'trash' AS kind, d.name AS drive, t.kind AS what, t.path, t.state, t.size, t.file_count FROM trash t
     JOIN drive d ON d.pk = t.drive WHERE d.deleted_at IS NULL`,
  `SELECT 'trashed file' AS kind, t.path AS entry, f.path, b.digest, f.tags, f.metadata, f.version FROM trash_file f
     JOIN trash t ON t.pk = f.entry JOIN blob b ON b.pk = f.blob JOIN drive d ON d.pk = t.drive
    WHERE d.deleted_at IS NULL`,
  `SELECT 'trashed folder' AS kind, t.path AS entry, f.path FROM trash_folder f JOIN trash t ON t.pk = f.entry
     JOIN drive d ON d.pk = t.drive WHERE d.deleted_at IS NULL`,
  `SELECT 'drive' AS kind, d.name, u.username, d.slug, d.expires_at IS NULL AS isKept
     FROM drive d LEFT JOIN user u ON u.pk = d.user WHERE d.deleted_at IS NULL`,
  `SELECT 'member' AS kind, d.name, u.username, m.role FROM drive_member m
     JOIN drive d ON d.pk = m.drive JOIN user u ON u.pk = m.user WHERE d.deleted_at IS NULL`,
  `SELECT 'key' AS kind, k.name, k.scope, k.path_prefix, u.username, d.name AS drive FROM api_key k
     LEFT JOIN user u ON u.pk = k.user LEFT JOIN drive d ON d.pk = k.drive WHERE d.deleted_at IS NULL`,
  `SELECT 'link' AS kind, one_time, used_at IS NULL AS isUnused FROM presigned_link`,
  `SELECT 'upload link' AS kind, path, max_size, used_at IS NULL AS isUnused FROM upload_link`,
  `SELECT 'share link' AS kind, path, file_id IS NULL AS isFolder, password_hash IS NULL AS isOpen FROM share_link`,
  `SELECT 'webhook' AS kind, url, events, disabled_at IS NULL AS isEnabled FROM webhook`,
  `SELECT 'claim' AS kind, used_at IS NULL AS isUnused, d.name FROM claim_token c JOIN drive d ON d.pk = c.drive`,
  `SELECT 'session' AS kind, u.username FROM session s JOIN user u ON u.pk = s.user`,
  `SELECT 'snapshot' AS kind, d.name AS drive, s.name, s.is_automatic FROM snapshot s
     JOIN drive d ON d.pk = s.drive WHERE s.deleted_at IS NULL AND d.deleted_at IS NULL`,
  `SELECT 'held' AS kind, d.name AS drive, h.path, b.digest FROM held_file h JOIN drive d ON d.pk = h.drive
     JOIN blob b ON b.pk = h.blob WHERE d.deleted_at IS NULL`,
  `SELECT 'user' AS kind, username, admin, plan FROM user`,
  `SELECT 'change' AS kind, d.name AS drive, c.type, c.path, c.previous_path, hex(c.before_digest) AS was,
          hex(c.after_digest) AS becomes, c.ref IS NULL AS isOfNothing FROM change c JOIN drive d ON d.pk = c.drive
    WHERE d.deleted_at IS NULL`,
] as const;

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
