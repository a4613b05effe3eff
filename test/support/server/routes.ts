import { type DescribedOperation, Description } from "../schemas/description.ts";
import { startAppliance } from "./appliance.ts";
import type { Json, RequestOptions } from "./client.ts";
import { fill, fillJson } from "./scenario.ts";
import { HELLO } from "./uploads.ts";
import { byPath, HOOK, type Named, routeOf } from "./targets.ts";
import { type CallerName, ofCallers } from "./world.ts";

export type Owner = "agent" | "ada";

/** What is answered to each caller who asks about something of an owner's drive. */
export type Expectations = Readonly<Record<Owner, Statuses>>;
type Statuses = Readonly<Record<CallerName, number>>;

/** Ada's applications, and the key that her key made. */
const letIn = (status: number) => ({ adaMade: status, adaApp: status, adaDriveApp: status });

/** What is answered to who sees nothing of a drive. */
const { ada: nothing } = everybody({ writers: 404, readers: 404 });

/** For what is in the folder that `adaPrefix` sees, and `adaBeside` does not. */
export function reading(ok: number): Expectations {
  const ofAda = { ada: ok, adaReader: ok, adaDrive: ok, carol: ok, dan: ok, ...letIn(ok) };
  const inFolder = { adaPrefix: ok, adaPrefixReader: ok, adaBeside: 404 };
  return {
    agent: { ...nothing, agent: ok, agentReader: ok },
    ada: { ...nothing, ...ofAda, ...inFolder },
  };
}

/** For a drive, of which everybody is shown what they may see. */
export const looking = (ok: number) => forAdas(reading(ok), { adaBeside: ok });

/** For what a read-only key is refused before the request is read. */
const READERS = { agentReader: 403, adaReader: 403, adaPrefixReader: 403 };

/** For something in the folder that is named by its id. */
export function writing(ok: number): Expectations {
  const keys = { ada: ok, adaDrive: ok, adaPrefix: ok, adaBeside: 404 };
  const ofAda = { ...keys, carol: 403, dan: ok, ...letIn(ok) };
  return {
    agent: { ...nothing, ...READERS, agent: ok },
    ada: { ...nothing, ...READERS, ...ofAda },
  };
}

/** For a path in the folder: who may not write there is told so. */
export const writingAt = (ok: number) => forAdas(writing(ok), { adaBeside: 403 });

/** For what was in a drive: its readers see what is there now. */
export const history = (of: Expectations) => forAdas(of, { carol: 403 });

/** For what only the owner decides. */
const managing = (ok: number) => forAdas(writing(ok), { dan: 403, adaPrefix: 403, adaBeside: 403 });

/** The keys that are limited to a folder, at what is about a whole drive. */
const LIMITED = { adaPrefix: 403, adaPrefixReader: 403, adaBeside: 403 };

/** For what only the owner sees. */
const managed = (ok: number) => forAdas(reading(ok), { carol: 403, dan: 403, ...LIMITED });

/** For what only who manages the drive may read, and others are not told of. */
function managedAlone(ok: number): Expectations {
  const limited = { adaPrefix: 404, adaPrefixReader: 404, adaBeside: 404 };
  return forAdas(reading(ok), { carol: 404, dan: 404, ...limited });
}

/** The same, but for what was let in: it is refused before anything is looked for. */
function ofPeople({ agent, ada }: Expectations, reads = false): Expectations {
  const refusedFirst = { ...letIn(403), ...(reads ? { adaReader: 403 } : {}) };
  return { agent: { ...agent, ...refusedFirst }, ada: { ...ada, ...refusedFirst } };
}

/** The same, for who is in a drive: its own key lets nobody in either, and nobody has claimed the agent's. */
function sharing({ agent, ada }: Expectations): Expectations {
  return { agent: { ...agent, agent: 403 }, ada: { ...ada, adaDrive: 403, ...letIn(403) } };
}

/** For what only who manages the drive, and its maker, is told of. */
const ofWhoManages = (ok: number) =>
  forAdas(writing(ok), { carol: 404, dan: 404, adaPrefix: 404, adaBeside: 404 });

/** The same, with others for Ada's drive. */
export function forAdas({ agent, ada }: Expectations, others: Partial<Statuses>): Expectations {
  return { agent, ada: { ...ada, ...others } };
}

/** The same, but for keys that are limited to a folder. */
function wholly({ agent, ada }: Expectations): Expectations {
  return { agent: { ...agent, ...LIMITED }, ada: { ...ada, ...LIMITED } };
}

/** For routes that answer everybody about what is theirs: nobody is told that a target is not there. */
export function everybody(statuses: { readonly writers: number; readonly readers: number }): Expectations {
  const all = ofCallers((caller) => {
    if (caller === "nobody" || caller === "liar") return 401;
    return caller.endsWith("Reader") ? statuses.readers : statuses.writers;
  });
  return { agent: all, ada: all };
}

export const everyone = everybody({ writers: 200, readers: 200 });

/** For routes that need an account: what those get who have one, and its read-only key. */
export function accounts(status: number, reader = 403): Expectations {
  const { ada: none } = everybody({ writers: 403, readers: 403 });
  const made = { adaReader: reader, adaMade: status, adaApp: status };
  const each = { ...none, ada: status, bob: status, carol: status, dan: status, ...made };
  return { agent: each, ada: each };
}

/** For routes that need somebody who acts for a person. */
export const people = (status: number) => ofPeople(accounts(status));

/** For what everybody may make who has a key that writes. */
const making = everybody({ writers: 201, readers: 403 });
export const provisioning = { ...making.ada, nobody: 201, liar: 201 };
export const nothingToWrite = { ...everybody({ writers: 404, readers: 403 }).ada, nobody: 404, liar: 404 };
export const nothingThere = { ...nothing, nobody: 404, liar: 404 };
const forAll = { ...everyone.ada, nobody: 200, liar: 200 };

/** For what makes a drive of one's own from another: whoever has no account is refused first. */
function forking(ok: number): Expectations {
  const missing = accounts(404).agent;
  return { agent: missing, ada: { ...missing, ada: ok, adaMade: ok, adaApp: ok, carol: 403, dan: ok } };
}

/** The same for both owners. */
export const alike = (statuses: Statuses): Expectations => ({ agent: statuses, ada: statuses });

/**
 * A request about a target, with what is made for it in braces; what is answered to everybody who asks that, or only the
 * status of success.
 */
export type RouteRow = readonly [request: string, of: Expectations | number, more?: RouteMore];

interface RouteMore {
  /** Tells rows of the same route apart. */
  readonly about?: string;
  readonly body?: Json;
  readonly headers?: Readonly<Record<string, string>>;
  /** Nobody's key is needed, or somebody signed in, whom no key stands for. By default Ada's key is. */
  readonly by?: "nobody" | "session";
  /** What is answered in a drive of Ada's own, where she is alone, to who may ask; if that is another. */
  readonly alone?: number;
  /** Whoever succeeds takes the owner's drive away, or who is in it. */
  readonly destroys?: true;
}

/** For what nobody does with a key. */
const signedIn = (request: string, more: RouteMore = {}): RouteRow => [
  request,
  everybody({ writers: 403, readers: 403 }),
  { by: "session", alone: 200, ...more },
];

const ALL = { about: "of all drives" };
const drive_id = "{drive}";
const WHOLE = { drive_id, path: "{folder}" };
const DAN = { username: "dan", role: "editor" };
const POSTED = { drive_id, path: "{folder}posted-{suffix}", content: HELLO };
const OVER_FILE = { drive_id, path: "{path}", content: "" };

const ROWS: readonly RouteRow[] = [
  ["GET /v0", alike(forAll), { by: "nobody" }],
  ["POST /v0/drives/provision", alike(provisioning), { by: "nobody", body: { name: "New" } }],
  ["POST /v0/drives", accounts(201), { body: { name: "New" } }],
  ["POST /v0/drives/claim", 200, { body: { token: "{claim}" } }],
  ["GET /v0/drives/claim/{claim}", 200, { by: "nobody" }],
  ["GET /v0/drives", everyone],
  ["GET /v0/drives/{drive}", looking(200)],
  ["PATCH /v0/drives/{drive}", managing(200), { body: { description: "Changed" } }],
  ["DELETE /v0/drives/{drive}", managing(200), { destroys: true }],
  [
    "POST /v0/drives/{drive}/members",
    sharing(managing(200)),
    { about: "of who is one", body: DAN, alone: 201 },
  ],
  ["GET /v0/drives/{drive}/members", forAdas(reading(200), LIMITED)],
  ["PATCH /v0/drives/{drive}/members/{carol}", sharing(managing(200)), { body: { role: "reader" } }],
  [
    "DELETE /v0/drives/{drive}/members/{carol}",
    sharing(forAdas(managing(200), { carol: 200 })),
    { about: "of Carol", destroys: true },
  ],
  ["POST /v0/drives/{drive}/fork", forking(201), { body: { name: "Fork" } }],
  ["GET /v0/drives/{drive}/snapshots", history(looking(200))],
  ["POST /v0/drives/{drive}/snapshots", forAdas(writing(201), { adaBeside: 201 })],
  ["GET /v0/drives/{drive}/snapshots/{snapshot}", history(looking(200))],
  ["GET /v0/drives/{drive}/snapshots/{snapshot}/compare", history(looking(200))],
  ["POST /v0/drives/{drive}/snapshots/{snapshot}/restore", forAdas(writing(200), LIMITED)],
  ["DELETE /v0/drives/{drive}/snapshots/{snapshot}", managing(200)],
  ["GET /v0/drives/{drive}/works", looking(200)],
  ["GET /v0/drives/{drive}/works/{work}", reading(200)],
  ["POST /v0/drives/{drive}/works/{work}/cancel", writing(200)],
  ["GET /v0/changes?drive_id={drive}", looking(200)],
  ["GET /v0/changes", everyone, ALL],
  signedIn("GET /v0/news?drive_id={drive}"),
  signedIn("PUT /v0/drives/{drive}/visit"),
  ["GET /v0/search?q=f&drive_id={drive}", looking(200)],
  ["GET /v0/search?q=f", everyone, ALL],
  ["GET /v0/grep?pattern=f&drive_id={drive}", looking(200)],
  ["GET /v0/grep?pattern=f", everyone, ALL],
  ["GET /v0/files?drive_id={drive}", looking(200)],
  ["POST /v0/files", writingAt(201), { body: POSTED }],
  ["POST /v0/files", writingAt(200), { about: "over the file", body: OVER_FILE }],
  ["PUT /v0/files?drive_id={drive}&path={folder}put-{suffix}", writingAt(201), { body: "x" }],
  ["GET /v0/files/{file}", reading(200)],
  ["PATCH /v0/files/{file}", writing(200), { body: { tags: ["changed"] } }],
  ["DELETE /v0/files/{file}", writing(200)],
  ["POST /v0/files/{file}/copy", writing(201), { body: { destination_path: "{folder}copy-{suffix}" } }],
  ["POST /v0/files/{file}/move", writing(200), { body: { destination_path: "{folder}moved-{suffix}" } }],
  ["POST /v0/files/bulk-delete", 200, { body: { file_ids: ["{file}", "nothing"] } }],
  [
    "POST /v0/files/batch?drive_id={drive}",
    // Each file is refused for itself.
    forAdas(writing(200), { adaBeside: 200 }),
    {
      body: '{"path":"{folder}batch-{suffix}","text":"x"}',
      headers: { "content-type": "application/jsonl" },
    },
  ],
  ["GET /v0/files/{file}/download", reading(200)],
  ["GET /v0/files/{file}/versions", history(reading(200))],
  ["GET /v0/files/{file}/versions/1/download", history(reading(200))],
  ["GET /v0/files/{file}/diff?from=2", history(reading(200))],
  ["POST /v0/files/{file}/versions/1/restore", writing(200)],
  ["PUT /v0/files/{file}/versions/1/label", writing(200), { body: { label: "approved" } }],
  ["DELETE /v0/files/{file}/versions/1/label", writing(200)],
  ["DELETE /v0/files/{file}/versions/1", forAdas(managing(200), { adaBeside: 404 })],
  ["GET /v0/files/{file}/comments", reading(200)],
  ["POST /v0/files/{file}/comments", writing(201), { body: { text: "Why?", start_line: 1 } }],
  ["GET /v0/comments?drive_id={drive}", looking(200)],
  ["PATCH /v0/comments/{comment}", writing(200), { body: { resolved: true } }],
  ["DELETE /v0/comments/{comment}", forAdas(managing(200), { adaBeside: 404 })],
  ["GET /v0/archive?drive_id={drive}", reading(200)],
  ["GET /v0/files/{file}/text", reading(200)],
  // Read-only keys send no POST.
  [
    "POST /v0/files/read",
    forAdas(writing(200), { adaBeside: 200, carol: 200 }),
    { body: { drive_id, paths: ["{path}"] } },
  ],
  ["POST /v0/files/{file}/edit", writing(200), { body: { op: "append", text: "more" } }],
  ["POST /v0/files/{file}/extract", forAdas(writing(200), { carol: 200 })],
  ["GET /v0/files/{file}/extract", reading(200)],
  ["GET /v0/files/{file}/thumbnail", reading(200)],
  ["POST /v0/files/{file}/presigned-url", writing(200), { body: {} }],
  ["GET /v0/presigned/{presigned}", 200, { by: "nobody" }],
  ["POST /v0/upload-links", writingAt(201), { body: { drive_id, path: "{folder}by-link" } }],
  ["PUT /v0/uploads/{upload}", 201, { by: "nobody", body: "x" }],
  ["POST /v0/links", writingAt(201), { body: WHOLE }],
  ["GET /v0/links?drive_id={drive}", looking(200)],
  ["GET /v0/links", everyone, ALL],
  ["POST /v0/webhooks", ofPeople(managing(201)), { body: { ...HOOK, drive_id } }],
  ["POST /v0/webhooks", ofPeople(wholly(making)), { ...ALL, body: HOOK }],
  ["GET /v0/webhooks?drive_id={drive}", ofPeople(managed(200), true)],
  ["GET /v0/webhooks", ofPeople(wholly(everyone), true), ALL],
  ["GET /v0/webhooks/{webhook}", ofPeople(managedAlone(200), true)],
  ["PATCH /v0/webhooks/{webhook}", ofPeople(ofWhoManages(200)), { body: { events: ["file.deleted"] } }],
  ["DELETE /v0/webhooks/{webhook}", ofPeople(ofWhoManages(200))],
  ["POST /v0/webhooks/{webhook}/test", ofPeople(ofWhoManages(201))],
  ["GET /v0/webhooks/{webhook}/deliveries", ofPeople(managedAlone(200), true)],
  ["POST /v0/webhooks/{webhook}/deliveries/{delivery}/resend", ofPeople(ofWhoManages(200))],
  signedIn("GET /v0/links/{link}/url"),
  ["DELETE /v0/links/{link}", ofWhoManages(200)],
  ...[
    "",
    "/files",
    "/download?path={name}",
    "/extract?path={name}",
    "/thumbnail?path={name}",
    "/archive",
  ].map((rest): RouteRow => [`GET /v0/shared/{share}${rest}`, alike(forAll), { by: "nobody" }]),
  ["POST /v0/shared/{share}/unlock", 200, { by: "nobody", body: { password: "open sesame" } }],
  ["GET /v0/account", accounts(200, 200)],
  ["GET /v0/account/usage", everyone],
  signedIn("PATCH /v0/account", { body: { language: "de" } }),
  ["GET /v0/account/usage/days", people(200)],
  ["GET /v0/account/usage/kinds", accounts(200, 200)],
  signedIn("POST /v0/account/password", { body: { current: "ada's password", password: "ada's password" } }),
  ["GET /v0/sessions", people(200)],
  ["DELETE /v0/sessions", people(200)],
  ["DELETE /v0/sessions/{session}", 200],
  signedIn("GET /v0/oauth/requests/{request}"),
  signedIn("POST /v0/oauth/requests/{request}", { body: { allow: true } }),
  signedIn("GET /v0/addresses"),
  signedIn("GET /v0/usage/days"),
  signedIn("GET /v0/usage/days?by=key"),
  signedIn("GET /v0/usage/drives"),
  signedIn("GET /v0/usage/kinds"),
  signedIn("GET /v0/audit-events"),
  signedIn("GET /v0/server"),
  signedIn("PATCH /v0/server", { body: { name: "Ours" } }),
  signedIn("POST /v0/server/backups", { alone: 202 }),
  signedIn("GET /v0/users"),
  signedIn("POST /v0/users", { body: { username: "made-{suffix}", password: "long enough" }, alone: 201 }),
  signedIn("PATCH /v0/users/{user}", { body: { plan: "pro", disabled: true } }),
  signedIn("DELETE /v0/users/{user}", { body: { drives: "delete" } }),
  ["GET /v0/folders?drive_id={drive}", looking(200)],
  ["POST /v0/folders", writingAt(201), { body: { drive_id, path: "{folder}folder-{suffix}/" } }],
  ...(["move", "copy"] as const).map((how): RouteRow => [
    `POST /v0/folders/${how}`,
    // What is only read is not there; what is taken away may not be.
    how === "move" ? writingAt(200) : writing(201),
    { body: { ...WHOLE, destination_path: `notes/${how}-{suffix}/` } },
  ]),
  ["DELETE /v0/folders", writingAt(200), { body: { ...WHOLE, confirm: true } }],
  ["DELETE /v0/folders", writingAt(200), { about: "as a preview", body: WHOLE }],
  ["GET /v0/paths?drive_id={drive}&path={path}", reading(200)],
  ["GET /v0/paths?drive_id={drive}&path={folder}", reading(200), { about: "to a folder" }],
  ["DELETE /v0/paths?drive_id={drive}&path={path}", writingAt(200)],
  ["DELETE /v0/paths?drive_id={drive}&path={folder}", writingAt(200), { about: "to a folder" }],
  [
    "DELETE /v0/paths?drive_id={drive}&glob={folder}*&dry_run=1",
    forAdas(writing(200), { adaBeside: 200 }),
    { about: "for a pattern" },
  ],
  ...(["move", "copy"] as const).flatMap((how): RouteRow[] => [
    [
      `POST /v0/paths/${how}`,
      how === "move" ? writingAt(200) : writing(200),
      { body: { drive_id, path: "{path}", destination_path: `{folder}${how}-{suffix}` } },
    ],
    [
      `POST /v0/paths/${how}`,
      200,
      {
        about: "for several",
        body: { drive_id, paths: ["{path}", "none"], destination_path: `{folder}${how}-{suffix}/` },
      },
    ],
  ]),
  ["POST /v0/keys", ofPeople(making), { body: {} }],
  [
    "POST /v0/keys",
    ofPeople(forAdas(managing(201), { adaPrefix: 201, adaBeside: 201 })),
    { about: "for the drive", body: { drive_id } },
  ],
  ["GET /v0/trash", everyone, ALL],
  ["GET /v0/trash?drive_id={drive}", history(looking(200)), { about: "of the drive" }],
  ["GET /v0/trash/{trash}", history(reading(200))],
  ["POST /v0/trash/{trash}/restore", writing(200), { body: { path: "{folder}back" } }],
  // Each entry is refused for itself.
  ["POST /v0/trash/restore", 200, { body: { trash_ids: ["{trash}", "nothing"] } }],
  ["DELETE /v0/trash/{trash}", forAdas(managing(200), { adaBeside: 404 })],
  ["DELETE /v0/trash", managing(200), { body: { drive_id, confirm: true } }],
  ["POST /v0/undo", writingAt(200), { body: { drive_id, path: "{path}" } }],
  ["POST /v0/undo", writing(200), { about: "of a batch", body: { drive_id, batch_id: "{batch}" } }],
  ["GET /v0/keys", everyone],
  ["GET /v0/keys/{key}", forAdas(managedAlone(200), { adaReader: 404, ...letIn(404) })],
  ["DELETE /v0/keys/{key}", forAdas(ofWhoManages(200), { adaDrive: 403, ...letIn(404) })],
];

/** Routes that only read the file that they name. */
const READS_FILE = /^GET |\/(copy|extract)$/;

/** The same rows about a file at a path, where any are about `{file}`. */
export function withByPath(rows: readonly RouteRow[]): RouteRow[] {
  const aboutFile = rows.filter(([request]) => /^\w+ \/v0\/files\/\{file\}/.test(request));
  const byPaths = aboutFile.map(([request, of, more = {}]): RouteRow => {
    const beside = { adaBeside: READS_FILE.test(routeOf(request)) ? 404 : 403 };
    return [byPath(request), typeof of === "number" ? of : forAdas(of, beside), more];
  });
  return [...rows, ...byPaths];
}

/**
 * A request to every route of `/v0` that is answered with success, at least to some: who may ask it, that its answer is
 * described, that it is done once, and all else that holds for every route, is tried with it.
 */
export const ROUTES: readonly RouteRow[] = withByPath(ROWS);

/** What is answered to who may ask, in a drive of Ada's own. */
export function successOf([, of, { alone } = {}]: RouteRow): number {
  return alone ?? (typeof of === "number" ? of : of.ada.ada);
}

/** What a client sends for a row, with what that names. */
export function requestOf(
  [request, , { body, headers } = {}]: RouteRow,
  named: Named,
): [method: string, path: string, options: RequestOptions] {
  const [method = "", path = ""] = fill(request, named).split(" ");
  const sent = body === undefined ? {} : { body: fillJson(body, named) };
  return [method, path, headers === undefined ? sent : { ...sent, headers }];
}

/** The API description, with all that any setting adds to it: for what makes tests of it. */
export async function describedApi(): Promise<Description> {
  const provider = { "oidc-issuer": "http://127.0.0.1:1", "oidc-client-id": "x", "oidc-client-secret": "x" };
  await using coffer = await startAppliance({ signups: "open", ...provider });
  return await Description.of(coffer.client());
}

/** The operation that a request is to. */
export function operationOf({ operations }: Description, request: string): DescribedOperation {
  const route = routeOf(request);
  const found = operations.find(({ method, path }) => `${method} ${path}` === route);
  if (found === undefined) throw new Error(`the description has no ${route}`);
  return found;
}
