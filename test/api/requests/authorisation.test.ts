import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestAppliance, startAppliance } from "../../support/server/appliance.ts";
import { byPath } from "../../support/samples/by-path.ts";
import type { Answer, Json } from "../../support/server/client.ts";
import {
  expectCommonRules,
  HELLO,
  openStage,
  put,
  refused,
  row,
  runScenarios,
  type Scenario,
  step,
  type Step,
} from "../../support/server/scenario.ts";
import { forgetWork, recordWork } from "../../support/faults/recorded-work.ts";
import { CALLERS, type CallerName, populate, type World } from "../../support/server/world.ts";
import { HOOK, makeWebhook, putIntoTrash, takeSnapshot } from "../../support/server/targets.ts";

const stage = openStage();

type Owner = "agent" | "ada";
type Statuses = Readonly<Record<CallerName, number>>;

/** Something of an owner's drive that was made for one case. */
interface Target {
  readonly drive: string;
  readonly file: string;
  readonly folder: string;
  /** The id of a key limited to the drive. */
  readonly key: string;
  /** Empty for routes that have none. */
  readonly snapshot: string;
  /** The id of a removal of the folder that is under way; empty for routes that have none. */
  readonly work: string;
  /** The id of an entry of the drive's trash. */
  readonly trash: string;
  /** The id of a link to the folder, and its token. */
  readonly link: string;
  readonly token: string;
  /** The ids of a webhook of the drive, and of a delivery of it; empty for routes that have none. */
  readonly webhook: string;
  readonly delivery: string;
  /** Of a member of Ada's drive. */
  readonly carol: string;
  readonly suffix: string;
}

/** A route, how it is asked about a target, and what becomes of everybody who asks. */
interface Entry {
  readonly route: string;
  /** Tells entries of the same route apart. */
  readonly about?: string;
  readonly path: (target: Target) => string;
  readonly body?: (target: Target) => Json;
  readonly of: Readonly<Record<Owner, Statuses>>;
  /** Whoever succeeds takes the owner's drive away: they get a world of their own. */
  readonly destroys?: true;
}

/** Who sees nothing of anybody's drive. */
const STRANGERS = { nobody: 401, liar: 401, otherAgent: 404, bob: 404 };
/** Who also sees nothing of the agent's. */
const ADAS = {
  ada: 404,
  adaDrive: 404,
  carol: 404,
  dan: 404,
  adaPrefix: 404,
  adaBeside: 404,
  adaMade: 404,
  adaApp: 404,
  adaDriveApp: 404,
};

/** Ada's applications, and the key that her key made. */
function letIn(status: number) {
  return { adaMade: status, adaApp: status, adaDriveApp: status };
}

/** For what is in the folder that `adaPrefix` sees, and `adaBeside` does not. */
function reading(ok: number): Entry["of"] {
  const ofAda = { ada: ok, adaReader: ok, adaDrive: ok, carol: ok, dan: ok, ...letIn(ok) };
  const inFolder = { adaPrefix: ok, adaPrefixReader: ok, adaBeside: 404 };
  return {
    agent: { ...STRANGERS, ...ADAS, agent: ok, agentReader: ok, adaReader: 404, adaPrefixReader: 404 },
    ada: { ...STRANGERS, agent: 404, agentReader: 404, ...ofAda, ...inFolder },
  };
}

/** For a drive, of which everybody is shown what they may see. */
function looking(ok: number): Entry["of"] {
  return forAdas(reading(ok), { adaBeside: ok });
}

/** For what a read-only key is refused before the request is read. */
const READERS = { agentReader: 403, adaReader: 403, adaPrefixReader: 403 };

/** For something in the folder that is named by its id. */
function writing(ok: number): Entry["of"] {
  const keys = { ada: ok, adaDrive: ok, adaPrefix: ok, adaBeside: 404 };
  const ofAda = { ...keys, carol: 403, dan: ok, ...letIn(ok) };
  return {
    agent: { ...STRANGERS, ...ADAS, ...READERS, agent: ok },
    ada: { ...STRANGERS, ...READERS, agent: 404, ...ofAda },
  };
}

/** For a path in the folder: who may not write there is told so. */
function writingAt(ok: number): Entry["of"] {
  return forAdas(writing(ok), { adaBeside: 403 });
}

/** For what was in a drive: its readers see what is there now. */
function history(of: Entry["of"]): Entry["of"] {
  return forAdas(of, { carol: 403 });
}

/** For what only the owner decides. */
function managing(ok: number): Entry["of"] {
  return forAdas(writing(ok), { dan: 403, adaPrefix: 403, adaBeside: 403 });
}

/** The keys that are limited to a folder, at what is about a whole drive. */
const LIMITED = { adaPrefix: 403, adaPrefixReader: 403, adaBeside: 403 };

/** For what only the owner sees. */
function managed(ok: number): Entry["of"] {
  return forAdas(reading(ok), { carol: 403, dan: 403, ...LIMITED });
}

/** For what only who manages the drive may read, and others are not told of. */
function managedAlone(ok: number): Entry["of"] {
  const limited = { adaPrefix: 404, adaPrefixReader: 404, adaBeside: 404 };
  return forAdas(reading(ok), { carol: 404, dan: 404, ...limited });
}

/** The same, but for what was let in: it is refused before anything is looked for. */
function ofPeople({ agent, ada }: Entry["of"], reads = false): Entry["of"] {
  const refusedFirst = { ...letIn(403), ...(reads ? { adaReader: 403 } : {}) };
  return { agent: { ...agent, ...refusedFirst }, ada: { ...ada, ...refusedFirst } };
}

/** The same, for who is in a drive: its own key lets nobody in either. */
function sharing(of: Entry["of"]): Entry["of"] {
  return forAgent(forAdas(of, { adaDrive: 403, ...letIn(403) }), 403);
}

/** For what only who manages the drive, and its maker, is told of. */
function ofWhoManages(ok: number): Entry["of"] {
  return forAdas(writing(ok), { carol: 404, dan: 404, adaPrefix: 404, adaBeside: 404 });
}

/** The same, with others for Ada's drive. */
function forAdas({ agent, ada }: Entry["of"], others: Partial<Statuses>): Entry["of"] {
  return { agent, ada: { ...ada, ...others } };
}

/** The same, but for keys that are limited to a folder. */
function wholly({ agent, ada }: Entry["of"]): Entry["of"] {
  return { agent: { ...agent, ...LIMITED }, ada: { ...ada, ...LIMITED } };
}

/** The same, with another for the agent, whose drive nobody has claimed. */
function forAgent({ agent, ada }: Entry["of"], status: number): Entry["of"] {
  return { agent: { ...agent, agent: status }, ada };
}

/** For routes that answer everybody about what is theirs: nobody is told that a target is not there. */
function everybody(statuses: { readonly writers: number; readonly readers: number }): Entry["of"] {
  const { writers, readers } = statuses;
  const all = {
    nobody: 401,
    liar: 401,
    agent: writers,
    agentReader: readers,
    otherAgent: writers,
    ada: writers,
    adaReader: readers,
    adaDrive: writers,
    bob: writers,
    carol: writers,
    dan: writers,
    adaPrefix: writers,
    adaPrefixReader: readers,
    adaBeside: writers,
    ...letIn(writers),
  };
  return { agent: all, ada: all };
}

const everyone = everybody({ writers: 200, readers: 200 });

/** For routes that need an account: what those get who have one, and its read-only key. */
function accounts(status: number, reader = 403): Entry["of"] {
  const { ada: none } = everybody({ writers: 403, readers: 403 });
  const made = { adaReader: reader, adaMade: status, adaApp: status };
  const each = { ...none, ada: status, bob: status, carol: status, dan: status, ...made };
  return { agent: each, ada: each };
}

/** For routes that need somebody who acts for a person. */
function people(status: number): Entry["of"] {
  return ofPeople(accounts(status));
}

const provisioning = { ...everybody({ writers: 201, readers: 403 }).ada, nobody: 201, liar: 201 };
/** Nobody gets in with a key. */
const signedInOnly = everybody({ writers: 403, readers: 403 });
const nothingToWrite = { ...everybody({ writers: 404, readers: 403 }).ada, nobody: 404, liar: 404 };
const nothingThere = { ...everybody({ writers: 404, readers: 404 }).ada, nobody: 404, liar: 404 };
const forAll = { ...everyone.ada, nobody: 200, liar: 200 };

/** For what makes a drive of one's own from another: whoever has no account is refused first. */
function forking(ok: number): Entry["of"] {
  const missing = accounts(404).agent;
  return { agent: missing, ada: { ...missing, ada: ok, adaMade: ok, adaApp: ok, carol: 403, dan: ok } };
}
const ENTRIES: readonly Entry[] = [
  { route: "GET /v0", path: () => "/v0", of: { agent: forAll, ada: forAll } },
  {
    route: "POST /v0/drives/provision",
    path: () => "/v0/drives/provision",
    body: () => ({ name: "New" }),
    of: { agent: provisioning, ada: provisioning },
  },
  { route: "POST /v0/drives", path: () => "/v0/drives", body: () => ({ name: "New" }), of: accounts(201) },
  {
    route: "POST /v0/drives",
    about: "with a body that is none, which a key of one drive is not told",
    path: () => "/v0/drives",
    body: () => "{",
    of: accounts(400),
  },
  {
    route: "POST /v0/drives/claim",
    about: "with a token that is none",
    path: () => "/v0/drives/claim",
    body: () => ({ token: "clm_none" }),
    of: people(404),
  },
  {
    route: "GET /v0/drives/claim/{token}",
    about: "that was never issued",
    path: ({ file }) => `/v0/drives/claim/${file}`,
    of: { agent: nothingThere, ada: nothingThere },
  },
  { route: "GET /v0/drives", path: () => "/v0/drives", of: everyone },
  { route: "GET /v0/drives/{id}", path: ({ drive }) => `/v0/drives/${drive}`, of: looking(200) },
  {
    route: "PATCH /v0/drives/{id}",
    path: ({ drive }) => `/v0/drives/${drive}`,
    body: () => ({ description: "Changed" }),
    of: managing(200),
  },
  {
    route: "DELETE /v0/drives/{id}",
    path: ({ drive }) => `/v0/drives/${drive}`,
    of: managing(200),
    destroys: true,
  },
  {
    route: "POST /v0/drives/{id}/members",
    about: "of who is one",
    path: ({ drive }) => `/v0/drives/${drive}/members`,
    body: () => ({ username: "dan", role: "editor" }),
    of: sharing(managing(200)),
  },
  {
    route: "GET /v0/drives/{id}/members",
    path: ({ drive }) => `/v0/drives/${drive}/members`,
    of: forAdas(reading(200), { adaPrefix: 403, adaPrefixReader: 403, adaBeside: 403 }),
  },
  {
    route: "PATCH /v0/drives/{id}/members/{user_id}",
    path: ({ drive, carol }) => `/v0/drives/${drive}/members/${carol}`,
    body: () => ({ role: "reader" }),
    of: sharing(managing(200)),
  },
  {
    route: "DELETE /v0/drives/{id}/members/{user_id}",
    about: "of Carol",
    path: ({ drive, carol }) => `/v0/drives/${drive}/members/${carol}`,
    of: sharing(forAdas(managing(200), { carol: 200 })),
    destroys: true,
  },
  {
    route: "POST /v0/drives/{id}/fork",
    path: ({ drive }) => `/v0/drives/${drive}/fork`,
    body: () => ({ name: "Fork" }),
    of: forking(201),
  },
  {
    route: "GET /v0/drives/{id}/snapshots",
    path: ({ drive }) => `/v0/drives/${drive}/snapshots`,
    of: history(looking(200)),
  },
  {
    route: "POST /v0/drives/{id}/snapshots",
    path: ({ drive }) => `/v0/drives/${drive}/snapshots`,
    of: forAdas(writing(201), { adaBeside: 201 }),
  },
  {
    route: "GET /v0/drives/{id}/snapshots/{sid}",
    path: ({ drive, snapshot: id }) => `/v0/drives/${drive}/snapshots/${id}`,
    of: history(looking(200)),
  },
  {
    route: "GET /v0/drives/{id}/snapshots/{sid}/compare",
    path: ({ drive, snapshot: id }) => `/v0/drives/${drive}/snapshots/${id}/compare`,
    of: history(looking(200)),
  },
  {
    route: "POST /v0/drives/{id}/snapshots/{sid}/restore",
    path: ({ drive, snapshot: id }) => `/v0/drives/${drive}/snapshots/${id}/restore`,
    of: forAdas(writing(200), { adaPrefix: 403, adaBeside: 403 }),
  },
  {
    route: "DELETE /v0/drives/{id}/snapshots/{sid}",
    path: ({ drive, snapshot: id }) => `/v0/drives/${drive}/snapshots/${id}`,
    of: managing(200),
  },
  { route: "GET /v0/drives/{id}/works", path: ({ drive }) => `/v0/drives/${drive}/works`, of: looking(200) },
  {
    route: "GET /v0/drives/{id}/works/{wid}",
    path: ({ drive, work: id }) => `/v0/drives/${drive}/works/${id}`,
    of: reading(200),
  },
  {
    route: "POST /v0/drives/{id}/works/{wid}/cancel",
    path: ({ drive, work: id }) => `/v0/drives/${drive}/works/${id}/cancel`,
    of: writing(200),
  },
  { route: "GET /v0/changes", path: ({ drive }) => `/v0/changes?drive_id=${drive}`, of: looking(200) },
  { route: "GET /v0/changes", about: "of all drives", path: () => "/v0/changes", of: everyone },
  { route: "GET /v0/search", path: ({ drive }) => `/v0/search?q=f&drive_id=${drive}`, of: looking(200) },
  { route: "GET /v0/search", about: "of all drives", path: () => "/v0/search?q=f", of: everyone },
  { route: "GET /v0/grep", path: ({ drive }) => `/v0/grep?pattern=f&drive_id=${drive}`, of: looking(200) },
  { route: "GET /v0/grep", about: "of all drives", path: () => "/v0/grep?pattern=f", of: everyone },
  { route: "GET /v0/files", path: ({ drive }) => `/v0/files?drive_id=${drive}`, of: looking(200) },
  {
    route: "POST /v0/files",
    path: () => "/v0/files",
    body: ({ drive, folder, suffix }) => ({
      drive_id: drive,
      filename: "posted",
      path: `${folder}posted-${suffix}`,
      content: HELLO,
    }),
    of: writingAt(201),
  },
  {
    route: "POST /v0/files",
    about: "over the file",
    path: () => "/v0/files",
    body: ({ drive, folder }) => ({ drive_id: drive, filename: "f", path: `${folder}f`, content: "" }),
    of: writingAt(200),
  },
  {
    route: "PUT /v0/files",
    path: ({ drive, folder, suffix }) => `/v0/files?drive_id=${drive}&path=${folder}put-${suffix}`,
    body: () => "x",
    of: writingAt(201),
  },
  { route: "GET /v0/files/{id}", path: ({ file }) => `/v0/files/${file}`, of: reading(200) },
  {
    route: "PATCH /v0/files/{id}",
    path: ({ file }) => `/v0/files/${file}`,
    body: () => ({ tags: ["changed"] }),
    of: writing(200),
  },
  { route: "DELETE /v0/files/{id}", path: ({ file }) => `/v0/files/${file}`, of: writing(200) },
  {
    route: "POST /v0/files/{id}/copy",
    path: ({ file }) => `/v0/files/${file}/copy`,
    body: ({ folder, suffix }) => ({ destination_path: `${folder}copy-${suffix}` }),
    of: writing(201),
  },
  {
    route: "POST /v0/files/{id}/move",
    path: ({ file }) => `/v0/files/${file}/move`,
    body: ({ folder, suffix }) => ({ destination_path: `${folder}moved-${suffix}` }),
    of: writing(200),
  },
  {
    route: "POST /v0/files/bulk-delete",
    about: "of nothing",
    path: () => "/v0/files/bulk-delete",
    body: () => ({ file_ids: [] }),
    of: everybody({ writers: 200, readers: 403 }),
  },
  {
    route: "GET /v0/files/{id}/download",
    path: ({ file }) => `/v0/files/${file}/download`,
    of: reading(200),
  },
  {
    route: "GET /v0/files/{id}/versions",
    path: ({ file }) => `/v0/files/${file}/versions`,
    of: history(reading(200)),
  },
  {
    route: "GET /v0/files/{id}/versions/{n}/download",
    path: ({ file }) => `/v0/files/${file}/versions/1/download`,
    of: history(reading(200)),
  },
  {
    route: "GET /v0/files/{id}/diff",
    path: ({ file }) => `/v0/files/${file}/diff?from=2`,
    of: history(reading(200)),
  },
  {
    route: "POST /v0/files/{id}/versions/{n}/restore",
    path: ({ file }) => `/v0/files/${file}/versions/1/restore`,
    of: writing(200),
  },
  {
    route: "DELETE /v0/files/{id}/versions/{n}",
    path: ({ file }) => `/v0/files/${file}/versions/1`,
    of: forAdas(managing(200), { adaBeside: 404 }),
  },
  { route: "GET /v0/archive", path: ({ drive }) => `/v0/archive?drive_id=${drive}`, of: reading(200) },
  { route: "GET /v0/files/{id}/text", path: ({ file }) => `/v0/files/${file}/text`, of: reading(200) },
  {
    route: "POST /v0/files/{id}/edit",
    path: ({ file }) => `/v0/files/${file}/edit`,
    body: () => ({ op: "append", text: "more" }),
    of: writing(200),
  },
  {
    route: "POST /v0/files/{id}/extract",
    path: ({ file }) => `/v0/files/${file}/extract`,
    of: forAdas(writing(200), { carol: 200 }),
  },
  { route: "GET /v0/files/{id}/extract", path: ({ file }) => `/v0/files/${file}/extract`, of: reading(200) },
  {
    route: "POST /v0/files/{id}/presigned-url",
    path: ({ file }) => `/v0/files/${file}/presigned-url`,
    body: () => ({}),
    of: writing(200),
  },
  {
    route: "GET /v0/presigned/{token}",
    about: "that was never made",
    path: ({ file }) => `/v0/presigned/${file}`,
    of: { agent: nothingThere, ada: nothingThere },
  },
  {
    route: "POST /v0/upload-links",
    path: () => "/v0/upload-links",
    body: ({ drive, folder }) => ({ drive_id: drive, path: `${folder}by-link` }),
    of: writingAt(201),
  },
  {
    route: "PUT /v0/uploads/{token}",
    about: "that was never made",
    path: ({ file }) => `/v0/uploads/${file}`,
    body: () => "x",
    of: { agent: nothingToWrite, ada: nothingToWrite },
  },
  {
    route: "POST /v0/links",
    path: () => "/v0/links",
    body: ({ drive, folder }) => ({ drive_id: drive, path: folder }),
    of: writingAt(201),
  },
  { route: "GET /v0/links", path: ({ drive }) => `/v0/links?drive_id=${drive}`, of: looking(200) },
  { route: "GET /v0/links", about: "of all drives", path: () => "/v0/links", of: everyone },
  {
    route: "POST /v0/webhooks",
    path: () => "/v0/webhooks",
    body: ({ drive }) => ({ ...HOOK, drive_id: drive }),
    of: ofPeople(managing(201)),
  },
  {
    route: "POST /v0/webhooks",
    about: "of all drives",
    path: () => "/v0/webhooks",
    body: () => HOOK,
    of: ofPeople(wholly(everybody({ writers: 201, readers: 403 }))),
  },
  {
    route: "GET /v0/webhooks",
    path: ({ drive }) => `/v0/webhooks?drive_id=${drive}`,
    of: ofPeople(managed(200), true),
  },
  {
    route: "GET /v0/webhooks",
    about: "of all drives",
    path: () => "/v0/webhooks",
    of: ofPeople(wholly(everyone), true),
  },
  {
    route: "GET /v0/webhooks/{id}",
    path: ({ webhook }) => `/v0/webhooks/${webhook}`,
    of: ofPeople(managedAlone(200), true),
  },
  {
    route: "PATCH /v0/webhooks/{id}",
    path: ({ webhook }) => `/v0/webhooks/${webhook}`,
    body: () => ({ events: ["file.deleted"] }),
    of: ofPeople(ofWhoManages(200)),
  },
  {
    route: "DELETE /v0/webhooks/{id}",
    path: ({ webhook }) => `/v0/webhooks/${webhook}`,
    of: ofPeople(ofWhoManages(200)),
  },
  {
    route: "POST /v0/webhooks/{id}/test",
    path: ({ webhook }) => `/v0/webhooks/${webhook}/test`,
    of: ofPeople(ofWhoManages(201)),
  },
  {
    route: "GET /v0/webhooks/{id}/deliveries",
    path: ({ webhook }) => `/v0/webhooks/${webhook}/deliveries`,
    of: ofPeople(managedAlone(200), true),
  },
  {
    route: "POST /v0/webhooks/{id}/deliveries/{did}/resend",
    path: ({ webhook, delivery }) => `/v0/webhooks/${webhook}/deliveries/${delivery}/resend`,
    of: ofPeople(ofWhoManages(200)),
  },
  { route: "DELETE /v0/links/{id}", path: ({ link }) => `/v0/links/${link}`, of: ofWhoManages(200) },
  ...["", "/files", "/download?path=f", "/extract?path=f", "/archive"].map((rest) => ({
    route: `GET /v0/shared/{token}${rest.replace(/\?.*/, "")}`,
    path: ({ token }: Target) => `/v0/shared/${token}${rest}`,
    of: { agent: forAll, ada: forAll },
  })),
  {
    route: "GET /v0/shared/{token}",
    about: "that was never made",
    path: ({ file }) => `/v0/shared/${file}`,
    of: { agent: nothingThere, ada: nothingThere },
  },
  {
    route: "POST /v0/shared/{token}/unlock",
    about: "that was never made",
    path: ({ file }) => `/v0/shared/${file}/unlock`,
    body: () => ({ password: "open sesame" }),
    of: { agent: nothingToWrite, ada: nothingToWrite },
  },
  { route: "GET /v0/account", path: () => "/v0/account", of: accounts(200, 200) },
  { route: "GET /v0/account/usage", path: () => "/v0/account/usage", of: everyone },
  {
    route: "POST /v0/account/password",
    path: () => "/v0/account/password",
    body: () => ({ current: "ada's password", password: "another password" }),
    of: signedInOnly,
  },
  { route: "GET /v0/sessions", path: () => "/v0/sessions", of: people(200) },
  { route: "DELETE /v0/sessions", path: () => "/v0/sessions", of: people(200) },
  {
    route: "DELETE /v0/sessions/{id}",
    about: "that never was",
    path: ({ file }) => `/v0/sessions/${file}`,
    of: people(404),
  },
  { route: "GET /v0/oauth/requests/{id}", path: () => "/v0/oauth/requests/none", of: signedInOnly },
  {
    route: "POST /v0/oauth/requests/{id}",
    path: () => "/v0/oauth/requests/none",
    body: () => ({ allow: true }),
    of: signedInOnly,
  },
  { route: "GET /v0/users", path: () => "/v0/users", of: signedInOnly },
  {
    route: "POST /v0/users",
    path: () => "/v0/users",
    body: () => ({ username: "eve", password: "eve's password" }),
    of: signedInOnly,
  },
  {
    route: "PATCH /v0/users/{id}",
    path: ({ file }) => `/v0/users/${file}`,
    body: () => ({ plan: "team" }),
    of: signedInOnly,
  },
  { route: "GET /v0/folders", path: ({ drive }) => `/v0/folders?drive_id=${drive}`, of: looking(200) },
  {
    route: "POST /v0/folders",
    path: () => "/v0/folders",
    body: ({ drive, folder, suffix }) => ({ drive_id: drive, path: `${folder}folder-${suffix}/` }),
    of: writingAt(201),
  },
  ...(["move", "copy"] as const).map((how) => ({
    route: `POST /v0/folders/${how}`,
    path: () => `/v0/folders/${how}`,
    body: ({ drive, folder, suffix }: Target) => ({
      drive_id: drive,
      path: folder,
      destination_path: `notes/${how}-${suffix}/`,
    }),
    // What is only read is not there; what is taken away may not be.
    of: how === "move" ? writingAt(200) : writing(201),
  })),
  {
    route: "DELETE /v0/folders",
    path: () => "/v0/folders",
    body: ({ drive, folder }) => ({ drive_id: drive, path: folder, confirm: true }),
    of: writingAt(200),
  },
  {
    route: "DELETE /v0/folders",
    about: "as a preview",
    path: () => "/v0/folders",
    body: ({ drive, folder }) => ({ drive_id: drive, path: folder }),
    of: writingAt(200),
  },
  {
    route: "POST /v0/keys",
    path: () => "/v0/keys",
    body: () => ({}),
    of: ofPeople(everybody({ writers: 201, readers: 403 })),
  },
  {
    route: "POST /v0/keys",
    about: "for the drive",
    path: () => "/v0/keys",
    body: ({ drive }) => ({ drive_id: drive }),
    of: ofPeople(forAdas(managing(201), { adaPrefix: 201, adaBeside: 201 })),
  },
  { route: "GET /v0/trash", about: "of all drives", path: () => "/v0/trash", of: everyone },
  {
    route: "GET /v0/trash",
    about: "of the drive",
    path: ({ drive }) => `/v0/trash?drive_id=${drive}`,
    of: history(looking(200)),
  },
  { route: "GET /v0/trash/{id}", path: ({ trash }) => `/v0/trash/${trash}`, of: history(reading(200)) },
  {
    route: "POST /v0/trash/{id}/restore",
    path: ({ trash }) => `/v0/trash/${trash}/restore`,
    of: writing(200),
  },
  {
    route: "DELETE /v0/trash/{id}",
    path: ({ trash }) => `/v0/trash/${trash}`,
    of: forAdas(managing(200), { adaBeside: 404 }),
  },
  {
    route: "DELETE /v0/trash",
    path: () => "/v0/trash",
    body: ({ drive }) => ({ drive_id: drive, confirm: true }),
    of: managing(200),
  },
  { route: "GET /v0/keys", path: () => "/v0/keys", of: everyone },
  {
    route: "GET /v0/keys/{id}",
    path: ({ key }) => `/v0/keys/${key}`,
    of: forAdas(managedAlone(200), { adaReader: 404, ...letIn(404) }),
  },
  {
    route: "DELETE /v0/keys/{id}",
    path: ({ key }) => `/v0/keys/${key}`,
    of: forAdas(ofWhoManages(200), { adaDrive: 403, ...letIn(404) }),
  },
];

/** Routes that only read the file that they name. */
const READS_FILE = /^GET |\/(copy|extract)$/;

/** The same about a file at a path. */
const BY_PATH = ENTRIES.filter(({ route }) => route.includes("/v0/files/{id}")).map((entry): Entry => ({
  ...entry,
  of: forAdas(entry.of, { adaBeside: READS_FILE.test(entry.route) ? 404 : 403 }),
  route: entry.route.replace("{id}", "by-path"),
  path: (target) => byPath(entry.path(target), { ...target, path: `${target.folder}f` }),
}));

const MATRIX: readonly Entry[] = [...ENTRIES, ...BY_PATH];

test("every route of /v0 in the API description is in the matrix, and every entry is a route", async () => {
  const description = await stage.coffer
    .client()
    .get<{ paths: Record<string, Record<string, unknown>> }>("/docs/openapi.json");
  // Who may sign in is no question of keys: nobody has one yet.
  const routes = Object.entries(description.paths).filter(([path]) => /^\/v0(\/|$)/.test(path));
  const described = routes.flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...new Set(MATRIX.map(({ route }) => route))].toSorted()).toEqual(described.toSorted());
});

let cases = 0;

async function makeTarget(
  coffer: TestAppliance,
  world: World,
  owner: Owner,
  { route }: Entry,
): Promise<Target> {
  cases += 1;
  const folder = `notes/case-${cases}/`;
  const drive = world.drives[owner];
  const client = world.clients[owner];
  const address = `/v0/files?drive_id=${drive}&path=${folder}f`;
  const file = await client.json<{ id: string }>(201, "PUT", address, { body: "x" });
  if (/versions|diff/.test(route)) await client.json(200, "PUT", address, { body: "y" });
  const key = await client.makeKey({ drive_id: drive });
  const snapshot = route.includes("{sid}") ? await takeSnapshot(client, drive) : "";
  const trash = route.includes("/v0/trash") ? await putIntoTrash(client, drive, `${folder}gone`) : "";
  const link = await client.post<{ id: string; token: string }>("/v0/links", {
    drive_id: drive,
    path: folder,
  });
  const hook = route.includes("/v0/webhooks") ? await makeWebhook(client, drive) : NO_WEBHOOK;
  const work = route.includes("{wid}") ? recordWork(coffer.dataDir, drive, folder) : "";
  const made = {
    file: file.id,
    key: key.id,
    snapshot,
    work,
    trash,
    link: link.id,
    token: link.token,
    ...hook,
  };
  return { drive, folder, ...made, carol: world.carol, suffix: String(cases) };
}

const NO_WEBHOOK = { webhook: "", delivery: "" };

/** Makes room for the next one's key: a drive may have only a hundred. It, or its drive, may be gone already. */
async function dropTarget(
  { dataDir }: TestAppliance,
  { clients }: World,
  owner: Owner,
  { key, work }: Target,
): Promise<void> {
  await clients[owner].send("DELETE", `/v0/keys/${key}`);
  if (work !== "") forgetWork(dataDir, work);
}

interface Ids {
  readonly data: readonly { readonly id: string }[];
}

/** All that the four owners can see, but for when keys and links were used. */
async function everything({ clients, drives }: World): Promise<unknown> {
  const owners = ["agent", "otherAgent", "ada", "bob"] as const;
  const seen = owners.map(async (owner) => {
    const get = <T = unknown>(path: string) => clients[owner].get<T>(path);
    const keys = await clients[owner].get<{ id: string; scope: string }[]>("/v0/keys");
    return [
      await get("/v0/drives"),
      await get(`/v0/drives/${drives[owner]}/members`),
      await get(`/v0/files?drive_id=${drives[owner]}&limit=1000`),
      (await get<Ids>(`/v0/links?drive_id=${drives[owner]}&limit=1000`)).data.map(({ id }) => id),
      await get(`/v0/files?drive_id=${drives[owner]}&limit=1&delimiter=/`),
      await get(`/v0/drives/${drives[owner]}/snapshots`),
      await get("/v0/webhooks"),
      await get(`/v0/trash?drive_id=${drives[owner]}&limit=1000`),
      keys.map(({ id, scope }) => [id, scope]),
    ];
  });
  return Promise.all(seen);
}

async function ask(world: World, caller: CallerName, entry: Entry, target: Target): Promise<Answer> {
  const [method = ""] = entry.route.split(" ");
  const body = entry.body?.(target);
  return world.clients[caller].send(method, entry.path(target), body === undefined ? {} : { body });
}

/** Asks, and requires the answer that the matrix names. */
async function check(coffer: TestAppliance, world: World, entry: Entry, target: Target, asked: Asked) {
  const { owner, caller } = asked;
  // So that whatever is touched shows in its updated_at.
  coffer.clock.advance(1);
  const answer = await ask(world, caller, entry, target);
  const expected = entry.of[owner][caller];
  expect([answer.status, expected === answer.status ? "" : answer.text]).toEqual([expected, ""]);
  expectCommonRules("GET", answer);
  if (!isRead(entry)) return;
  const head = await world.clients[caller].send("HEAD", entry.path(target));
  expect([head.status, head.text]).toEqual([expected, ""]);
}

interface Asked {
  readonly owner: Owner;
  readonly caller: CallerName;
}

function isRead({ route }: Entry): boolean {
  return route.startsWith("GET ");
}

function nameOf({ about, route }: Entry): string {
  return about === undefined ? route : `${route} ${about}`;
}

for (const entry of MATRIX) {
  describe.each(["agent", "ada"] as const)(`${nameOf(entry)}, at %s's`, (owner) => {
    const statuses = entry.of[owner];
    const changes = (caller: CallerName) => !isRead(entry) && statuses[caller] < 400;

    describe("changes nothing", () => {
      let target: Target;
      let before: unknown;
      beforeAll(async () => {
        target = await makeTarget(stage.coffer, stage.world, owner, entry);
        before = await everything(stage.world);
      });
      afterAll(() => dropTarget(stage.coffer, stage.world, owner, target));

      for (const caller of CALLERS.filter((each) => !changes(each))) {
        test(`${caller}: ${statuses[caller]}`, async () => {
          await check(stage.coffer, stage.world, entry, target, { owner, caller });
        });
      }

      test("none of them has", async () => {
        expect(await everything(stage.world)).toEqual(before);
      });
    });

    for (const caller of CALLERS.filter(changes)) {
      test(`${caller}: ${statuses[caller]}`, async () => {
        await using own = entry.destroys === undefined ? null : await startAppliance();
        const coffer = own ?? stage.coffer;
        const world = own === null ? stage.world : await populate(own);
        const target = await makeTarget(coffer, world, owner, entry);
        await check(coffer, world, entry, target, { owner, caller });
        await dropTarget(coffer, world, owner, target);
      });
    }
  });
}

function withoutId({ status, text }: Answer): unknown {
  const { error }: { error: { code: string; message: string } } = JSON.parse(text);
  return { status, code: error.code, message: error.message };
}

function isHidden({ of }: Entry, owner: Owner, caller: CallerName): boolean {
  return of[owner][caller] === 404;
}

describe("what is not yours is answered like what never was", () => {
  const nowhere = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";
  const absent: Target = {
    drive: nowhere,
    file: nowhere,
    folder: "case-0/",
    key: nowhere,
    snapshot: nowhere,
    work: nowhere,
    trash: nowhere,
    link: nowhere,
    webhook: nowhere,
    delivery: nowhere,
    carol: nowhere,
    token: nowhere,
    suffix: "0",
  };
  const { of: ofDrives } = MATRIX.find(({ route }) => route === "GET /v0/drives/{id}") ?? { of: everyone };
  for (const entry of MATRIX.filter((each) => CALLERS.some((caller) => isHidden(each, "agent", caller)))) {
    test.each(["agent", "ada"] as const)(`${nameOf(entry)}, at %s's`, async (owner) => {
      const { coffer, world } = stage;
      const target = await makeTarget(coffer, world, owner, entry);
      for (const caller of CALLERS.filter((each) => isHidden(entry, owner, each))) {
        // Who sees the drive asks for what never was in there.
        const isIn = ofDrives[owner][caller] === 200;
        const never = isIn ? { ...absent, drive: target.drive, folder: "notes/never/" } : absent;
        const foreign = await ask(world, caller, entry, target);
        const missing = await ask(world, caller, entry, never);
        expect([caller, withoutId(foreign)]).toEqual([caller, withoutId(missing)]);
      }
      await dropTarget(coffer, world, owner, target);
    });
  }
});

/** A step of each caller, with what they must see. */
function eachSees(request: Step["request"], seen: Partial<Record<CallerName, object>>): Scenario[] {
  return CALLERS.flatMap((as): Scenario[] => {
    const json = seen[as];
    return json === undefined ? [] : [{ name: `${as} sees its own`, as, request, status: 200, json }];
  });
}

describe("lists show what is the caller's", () => {
  // A stage of its own, where nothing has been added.
  const untouched = openStage();
  const agents = { data: [{ id: "{drives.agent}", user_id: null, slug: null }] };
  const adas = { data: [{ id: "{drives.ada}", slug: "ada/notes" }] };
  describe("GET /v0/drives", () =>
    runScenarios(
      untouched,
      eachSees(["GET", "/v0/drives"], {
        agent: agents,
        agentReader: agents,
        otherAgent: { data: [{ id: "{drives.otherAgent}" }] },
        ada: adas,
        adaReader: adas,
        adaDrive: adas,
        bob: { data: [{ id: "{drives.bob}", slug: "bob/notes" }] },
        adaPrefix: { data: [{ id: "{drives.ada}", slug: "ada/notes", role: "editor", file_count: 1 }] },
        adaPrefixReader: { data: [{ id: "{drives.ada}", role: "editor", file_count: 1, total_size: 12 }] },
        adaBeside: { data: [{ id: "{drives.ada}", role: "editor", file_count: 0, total_size: 0 }] },
        carol: { data: [{ id: "{drives.ada}", slug: "ada/notes", role: "reader" }] },
        dan: { data: [{ id: "{drives.ada}", slug: "ada/notes", role: "editor" }] },
      }),
    ));
  describe("GET /v0/drives?slug=ada/notes", () =>
    runScenarios(
      untouched,
      eachSees(["GET", "/v0/drives?slug=ada/notes"], {
        agent: { data: [] },
        otherAgent: { data: [] },
        ada: adas,
        adaReader: adas,
        adaDrive: adas,
        bob: { data: [] },
        carol: { data: [{ id: "{drives.ada}" }] },
      }),
    ));
  const readWrite = { scope: "read-write" };
  const readOnly = { scope: "read-only" };
  const inNotes = { drive_id: "{drives.ada}", path_prefix: "notes/" };
  const prefixed = [inNotes, { ...inNotes, ...readOnly }, { path_prefix: "note/" }];
  const [app, driveApp] = [{ drive_id: null }, { drive_id: "{drives.ada}" }];
  const made = { made_by: "{keyIds.ada}" };
  describe("GET /v0/keys", () =>
    runScenarios(
      untouched,
      eachSees(["GET", "/v0/keys"], {
        agent: [{ id: "{keyIds.agent}", ...readWrite }, readOnly],
        agentReader: [{ id: "{keyIds.agent}", ...readWrite }, readOnly],
        otherAgent: [{ id: "{keyIds.otherAgent}" }],
        ada: [
          { id: "{keyIds.ada}", ...readWrite, made_by: null },
          app,
          driveApp,
          { ...readOnly, ...made },
          { ...readWrite, ...made },
          ...prefixed,
          { ...readWrite, ...made },
        ],
        adaReader: [readOnly],
        adaMade: [{ ...readWrite, ...made }],
        adaApp: [app],
        adaDriveApp: [driveApp],
        adaDrive: [driveApp, readWrite, ...prefixed],
        adaPrefix: [inNotes, { ...inNotes, ...readOnly }],
        adaBeside: [{ path_prefix: "note/" }],
        bob: [{ id: "{keyIds.bob}" }],
      }),
    ));
});

function copy(as: CallerName, file: string, drive: string): Step {
  return step(`POST /v0/files/{files.${file}}/copy`, {
    as,
    body: { destination_path: "stolen.txt", destination_drive_id: drive },
    ...refused("NOT_FOUND"),
  });
}

function move(as: CallerName, file: string, drive: string): Step {
  return { ...copy(as, file, drive), request: ["POST", `/v0/files/{files.${file}}/move`] };
}

/** A folder of somebody's into a drive, or out of it. */
function transfer(as: CallerName, how: "move" | "copy", from: string, to: string): Step {
  return step(`POST /v0/folders/${how}`, {
    as,
    body: { drive_id: from, path: "notes/", destination_path: "stolen/", destination_drive_id: to },
    ...refused("NOT_FOUND"),
  });
}

describe("no way around", () => {
  const second: Step = step("ada POST /v0/drives", {
    body: { name: "Second" },
    status: 201,
    json: { data: { name: "Second" } },
    keeps: "second",
  });
  const agents = { status: 200, json: { id: "{files.agent}" } };
  runScenarios(stage, [
    row("a copy into a foreign drive", copy("agent", "agent", "{drives.ada}")),
    row("a copy into a foreign drive by its slug", copy("agent", "agent", "ada/notes")),
    row("a move into a foreign drive", move("agent", "agent", "{drives.ada}")),
    row("a copy of a foreign file into one's own drive", copy("bob", "ada", "{drives.bob}")),
    row(
      "a key of one drive copies into another of its owner's",
      copy("adaDrive", "ada", "{second.data.id}"),
      { given: [second] },
    ),
    row("a key of one drive moves into another of its owner's", move("adaDrive", "ada", "{second.data.id}"), {
      given: [second],
    }),
    ...(["move", "copy"] as const).flatMap((how): Scenario[] => [
      row(
        `${how} of a folder into a foreign drive`,
        transfer("agent", how, "{drives.agent}", "{drives.ada}"),
      ),
      row(
        `${how} of a foreign folder into one's own drive`,
        transfer("bob", how, "{drives.ada}", "{drives.bob}"),
      ),
      row(
        `${how} of a folder by a key of one drive into another of its owner's`,
        transfer("adaDrive", how, "{drives.ada}", "{second.data.id}"),
        { given: [second] },
      ),
    ]),
    row("a key of one drive makes itself one for another", "adaDrive POST /v0/keys", {
      given: [second],
      body: { drive_id: "{second.data.id}" },
      ...refused("NOT_FOUND"),
    }),
    row(
      "a key of one drive reads another of its owner's",
      "adaDrive GET /v0/files?drive_id={second.data.id}",
      { given: [second], ...refused("NOT_FOUND") },
    ),
    row("a key of one drive revokes its owner's", "adaDrive DELETE /v0/keys/{keyIds.ada}", {
      ...refused("NOT_FOUND"),
      after: [step("ada GET /v0/keys", { contains: ["{keyIds.ada}"] })],
    }),
    row("bulk-delete leaves foreign files alone", "POST /v0/files/bulk-delete", {
      given: [put("mine.txt", "x", { keeps: "mine" })],
      body: { file_ids: ["{files.ada}", "{mine.id}", "{files.agent}"] },
      json: { deleted: ["{mine.id}"], failed: ["{files.ada}", "{files.agent}"] },
      after: [
        step("ada GET /v0/files/{files.ada}", { json: { id: "{files.ada}" } }),
        step("agent GET /v0/files/{files.agent}", agents),
      ],
    }),
    row("a read-only key makes no other key", "adaReader POST /v0/keys", {
      body: { scope: "read-write" },
      ...refused("FORBIDDEN"),
    }),
    row("a method override is no method", "agentReader GET /v0/files/{files.agent}?_method=DELETE", {
      headers: { "x-http-method-override": "DELETE", prefer: "handling=lenient" },
      ...agents,
      after: [step("agent GET /v0/files/{files.agent}", agents)],
    }),
  ]);
});

/** Asks with a header made of a good key. */
async function askWith(of: (key: string) => string): Promise<Answer> {
  const own = await stage.ownDrive();
  return stage.coffer.client().send("GET", "/v0/drives", { headers: { authorization: of(own.key) } });
}

describe("the Authorization header", () => {
  const refusedHeaders: [name: string, of: (key: string) => string][] = [
    ["empty", () => ""],
    ["the key alone", (key) => key],
    ["Basic", (key) => `Basic ${btoa(`${key}:`)}`],
    ["two keys", (key) => `Bearer ${key} ${key}`],
    ["two headers in one", (key) => `Bearer ${key}, Bearer ${key}`],
    ["a key cut short", (key) => `Bearer ${key.slice(0, -1)}`],
    ["a key with more", (key) => `Bearer ${key}0`],
    ["the key's start", (key) => `Bearer ${key.slice(0, 12)}`],
    ["upper case", (key) => `Bearer ${key.toUpperCase()}`],
    ["the key's hash", (key) => `Bearer ${Bun.SHA256.hash(key, "hex")}`],
    ["SQL", () => "Bearer ' OR 1=1 --"],
  ];
  const acceptedHeaders: [name: string, of: (key: string) => string][] = [
    ["as it should be", (key) => `Bearer ${key}`],
    ["in lower case (RFC 9110, section 11.1)", (key) => `bearer ${key}`],
  ];
  test.each(refusedHeaders)("%s is refused", async (_, of) => {
    const answer = await askWith(of);
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toStartWith("Bearer");
    expectCommonRules("GET", answer);
  });
  test.each(acceptedHeaders)("%s", async (_, of) => {
    expect((await askWith(of)).status).toBe(200);
  });
  test("a key in the query counts for nothing", async () => {
    const own = await stage.ownDrive();
    const answer = await stage.coffer
      .client()
      .send("GET", `/v0/drives?api_key=${own.key}&access_token=${own.key}`);
    expect(answer.status).toBe(401);
  });
});
