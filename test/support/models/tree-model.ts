import { expect } from "bun:test";
import { rowsIn } from "../faults/change-database.ts";
import { verified } from "../faults/verified.ts";
import { hashOf } from "../samples/hash.ts";
import type { Client, Json } from "../server/client.ts";
import { listFiles } from "../server/drives.ts";
import { Random } from "../server/random.ts";
import type { Stage } from "../server/scenario.ts";
import * as model from "./model-tree.ts";

const HOUR = 60 * 60 * 1000;
/** After how many steps everything is counted anew, and every content read. */
const RECOUNT = 50;
/** What the model's Coffer must be opened with: so that the ends of what it keeps come within a run. */
export const KEEPS_A_DAY = { "keep-days": "1", "keep-versions": String(model.KEPT_VERSIONS) };
const SEGMENTS = ["a", "b", "ab", "%"];
const TAGS = ["red", "big"];
/** Few, so that many files and versions share each. In the database, and in files. */
const CONTENTS = [0, 1, 7, 19, 5000, 20_000, 40_001].map((size) => "x".repeat(size));

const STATUS: Readonly<Record<string, number>> = {
  created: 201,
  done: 200,
  replaced: 200,
  there: 200,
  CONFLICT: 409,
  NOT_FOUND: 404,
};

/** What an answer may name. */
interface Named {
  readonly id?: string;
  readonly trash_id?: string;
  readonly trash_ids?: readonly string[];
}

interface Sortable {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly updated_at: string;
}

interface Drive {
  readonly id: string;
  /** Its folder in the model. */
  readonly top: string;
}

/** Does the same in a Coffer and in the model, and compares the results. */
class Run {
  readonly #stage: Stage;
  readonly #client: Client;
  readonly #drives: readonly Drive[];
  readonly #random: Random;
  #tree: model.ModelTree;
  #compared = 0;
  /** The ids of all files so far. */
  readonly #ids = new Set<string>();
  readonly done: string[] = [];

  constructor(on: Stage, drives: readonly { readonly id: string }[], seed: number) {
    this.#stage = on;
    this.#client = on.world.clients.ada;
    this.#drives = drives.map(({ id }, index) => ({ id, top: `${index}/` }));
    this.#random = new Random(seed);
    const folders = this.#drives.map(({ top }) => top);
    this.#tree = { ...model.EMPTY, folders, now: on.coffer.clock.now() };
  }

  async step(): Promise<void> {
    const drive = this.#random.pick(this.#drives);
    const steps = [
      () => this.#upload(drive),
      () => this.#upload(drive),
      () => this.#upload(drive),
      () => this.#relocate("move", drive),
      () => this.#relocate("copy", drive),
      () => this.#rename(drive),
      () => this.#remove(drive),
      () => this.#removeMany(drive),
      () => this.#createFolder(drive),
      () => this.#removeFolder(drive),
      () => this.#relocateFolder("move", drive),
      () => this.#relocateFolder("copy", drive),
      () => this.#restore(),
      () => this.#restore(),
      () => this.#purge(),
      () => this.#changeVersion(),
      () => this.#pass(),
    ];
    await this.#random.pick(steps)();
  }

  /** Asks for a change, which must come to the same as in the model. That is told what the answer names. */
  async #change(
    method: string,
    path: string,
    body: Json | undefined,
    change: (answer: Named) => model.Changed | Promise<model.Changed>,
  ): Promise<Named> {
    const [outcome] = await change({});
    const status = STATUS[outcome] ?? 0;
    this.done.push(`${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${status}`);
    const answer = await this.#client.json<Named>(status, method, path, body === undefined ? {} : { body });
    const [, tree] = await change(answer);
    this.#tree = tree;
    await this.#nameNew(answer.id);
    return answer;
  }

  /** Gives the new files their ids: that of the only one, or those of the list. */
  async #nameNew(only: string | undefined): Promise<void> {
    for (const { id: drive, top } of this.#drives) {
      const added = this.#paths(top).filter((path) => this.#file(top + path).id === null);
      if (added.length === 0) continue;
      const listed = only === undefined ? await listFiles({ client: this.#client }, drive) : [];
      for (const path of added) {
        const id = only ?? listed.find((each) => each.path === path)?.id ?? "none";
        expect([id, this.#ids.has(id)]).toEqual([id, false]);
        this.#ids.add(id);
        this.#tree = model.changed(this.#tree, top + path, { id });
      }
    }
  }

  async #upload({ id: drive, top }: Drive): Promise<void> {
    const path = this.#random.chance(0.5) ? this.#path() : this.#anyFile(top).path;
    const content = this.#random.pick(CONTENTS);
    const tags = TAGS.filter(() => this.#random.chance(0.5));
    const given = this.#random.chance(0.6) ? null : this.#tree.now + HOUR * (1 + this.#random.below(30));
    const query = new URLSearchParams({ drive_id: drive, path, tags: tags.join(",") });
    if (given !== null) query.set("expires_at", new Date(given).toISOString());
    const present = this.#tree.files[top + path];
    // An expiry that is not given stays.
    const file = model.newFile(content, { tags, expiresAt: given ?? present?.expiresAt ?? null });
    const change = () => model.upload(this.#tree, top + path, file);
    const made = await this.#change("PUT", `/v0/files?${query.toString()}`, content, change);
    if (present !== undefined) expect(made).toMatchObject({ id: present.id });
  }

  async #relocate(how: "move" | "copy", { top }: Drive): Promise<void> {
    const { id } = this.#anyFile(top);
    const to = this.#random.pick(this.#drives);
    const path = this.#path();
    const overwrite = this.#random.chance(0.5);
    const body = { destination_path: path, destination_drive_id: to.id, overwrite };
    const wanted = { id, to: to.top + path, overwrite, isCopy: how === "copy" };
    await this.#change("POST", `/v0/files/${id}/${how}`, body, async (answer) =>
      model.transferFile(this.#tree, wanted, answer.id === undefined ? undefined : await this.#newEntry(to)),
    );
  }

  /** The entry of the trash that the model does not know. */
  async #newEntry({ id: drive }: Drive): Promise<string | undefined> {
    const url = `/v0/trash?drive_id=${drive}&limit=1000`;
    const { data } = await this.#client.get<{ data: { id: string }[] }>(url);
    return data.find(({ id }) => this.#tree.trash[id] === undefined)?.id;
  }

  async #rename({ top }: Drive): Promise<void> {
    const { path, id } = this.#anyFile(top);
    const filename = this.#random.pick(SEGMENTS);
    const to = top + path.slice(0, path.lastIndexOf("/") + 1) + filename;
    await this.#change("PATCH", `/v0/files/${id}`, { filename }, () =>
      model.transferFile(this.#tree, { id, to, overwrite: false, isCopy: false }),
    );
  }

  async #remove({ top }: Drive): Promise<void> {
    const { id } = this.#anyFile(top);
    await this.#change("DELETE", `/v0/files/${id}`, undefined, ({ trash_id }) =>
      model.removeFile(this.#tree, id, trash_id),
    );
  }

  async #removeMany({ top }: Drive): Promise<void> {
    const paths = this.#paths(top).filter(() => this.#random.chance(0.2));
    const ids = paths.map((path) => this.#file(top + path).id ?? "");
    const gone = this.#gone().slice(0, 1);
    const body = { file_ids: [...ids, ...gone] };
    const answer = await this.#change("POST", "/v0/files/bulk-delete", body, ({ trash_ids = [] }) => [
      "done",
      ids.reduce((tree, id, at) => model.removeFile(tree, id, trash_ids[at])[1], this.#tree),
    ]);
    expect(answer).toMatchObject({ deleted: ids, failed: gone });
  }

  async #createFolder({ id: drive, top }: Drive): Promise<void> {
    const path = `${this.#path()}/`;
    await this.#change("POST", "/v0/folders", { drive_id: drive, path }, () =>
      model.createFolder(this.#tree, top + path),
    );
  }

  async #removeFolder({ id: drive, top }: Drive): Promise<void> {
    // Mostly small ones, or the tree would never grow.
    const path = `${this.#path()}/`;
    if (this.#random.chance(0.5) && path.split("/").length < 3) return;
    const isKnown = this.#tree.folders.includes(top + path);
    const count = this.#paths(top + path).length;
    const body = { drive_id: drive, path, confirm: true };
    const answer = await this.#change("DELETE", "/v0/folders", body, ({ trash_id }) =>
      model.removeFolder(this.#tree, top + path, trash_id),
    );
    if (isKnown) expect(answer).toMatchObject({ success: true, deleted_count: count });
  }

  async #relocateFolder(how: "move" | "copy", from: Drive): Promise<void> {
    const known = this.#tree.folders.filter((each) => each.startsWith(from.top) && each !== from.top);
    const isAny = known.length === 0 || this.#random.chance(0.2);
    const path = isAny ? `${this.#path()}/` : this.#random.pick(known).slice(from.top.length);
    const to = this.#random.pick(this.#drives);
    const target = `${this.#path()}/`;
    const body = { drive_id: from.id, path, destination_path: target, destination_drive_id: to.id };
    const before = this.#tree;
    const answer = await this.#change("POST", `/v0/folders/${how}`, body, () => {
      const wanted = { from: from.top + path, to: to.top + target, isCopy: how === "copy" };
      return model.transferFolder(this.#tree, wanted);
    });
    if (this.#tree === before) return;
    expect(answer).toMatchObject(this.#shownFolder(to, target));
  }

  async #restore(): Promise<void> {
    const known = Object.entries(this.#tree.trash);
    if (known.length === 0) return;
    const [id, { path, files }] = this.#random.pick(known);
    const top = model.topOf(path);
    const place = this.#random.chance(0.3) ? top + this.#path() + (path.endsWith("/") ? "/" : "") : undefined;
    const target = place ?? model.nearestPlace(this.#tree, path);
    const url = `/v0/trash/${id}/restore`;
    const body = place === undefined ? {} : { path: place.slice(top.length) };
    const answer = await this.#change("POST", url, body, () => model.restore(this.#tree, id, place));
    if (this.#tree.trash[id] !== undefined) return;
    const file_count = Object.keys(files).length;
    expect(answer).toMatchObject({ path: target.slice(top.length), file_count, restored: true });
    await this.#change("POST", url, {}, () => model.restore(this.#tree, id));
  }

  async #purge(): Promise<void> {
    const id = this.#random.pick([...Object.keys(this.#tree.trash), "none"]);
    await this.#change("DELETE", `/v0/trash/${id}`, undefined, () => model.purge(this.#tree, id));
  }

  /** Brings a version back, or deletes it. */
  async #changeVersion(): Promise<void> {
    const [known] = Object.entries(this.#tree.files)
      .map(([path, file]) => ({ path, id: file.id, versions: shownVersions(path, file) }))
      .filter(({ versions }) => versions.length > 0)
      .toSorted(() => this.#random.below(3) - 1);
    if (known === undefined) return;
    const { path, id } = known;
    const version = this.#random.pick(known.versions);
    const url = `/v0/files/${id}/versions/${version.number}`;
    if (this.#random.chance(0.8)) {
      const change = () => model.restoreVersion(this.#tree, path, version);
      await this.#change("POST", `${url}/restore`, undefined, change);
    } else {
      const versions = this.#file(path).versions.filter((each) => each !== version);
      const change = (): model.Changed => ["done", model.changed(this.#tree, path, { versions })];
      await this.#change("DELETE", url, undefined, change);
    }
  }

  /** Lets time pass, sometimes with a sweep. */
  async #pass(): Promise<void> {
    const { clock, appliance } = this.#stage.coffer;
    const hours = 1 + this.#random.below(12);
    this.done.push(`${hours} hours pass`);
    clock.advance(hours * HOUR);
    this.#tree = model.pass(this.#tree, clock.now(), 24 * HOUR);
    if (this.#random.chance(0.5)) await appliance.services.sweep.run();
  }

  /** Counts everything anew, and reads every content. */
  async recount(): Promise<void> {
    const { coffer } = this.#stage;
    // What was deleted for good is counted until it is swept.
    for (let sweeps = 0; sweeps < 2; sweeps += 1) await coffer.appliance.services.sweep.run();
    expect(await verified(coffer.dataDir)).toEqual([]);
    for (const { id, top } of this.#drives) {
      const versions = "SELECT count(*) FROM file_version v WHERE v.drive = drive.pk";
      const kept = rowsIn(coffer.dataDir, `SELECT (${versions}), kept_size FROM drive WHERE id = ?`, id);
      expect(kept).toEqual([model.keptIn(this.#tree, top)]);
    }
    for (const [path, file] of Object.entries(this.#tree.files)) {
      const address = `/v0/files/${file.id}`;
      expect(await this.#hashOf(`${address}/download`)).toBe(hashOf(Buffer.from(file.content)));
      const versions = shownVersions(path, file).toReversed();
      const data = versions.map(({ number, content }) => ({
        version: number,
        content_hash: `sha256:${hashOf(Buffer.from(content))}`,
      }));
      expect(await this.#client.get(`${address}/versions`)).toMatchObject({
        data,
        current_version: file.number,
      });
      for (const each of versions) {
        const hash = await this.#hashOf(`${address}/versions/${each.number}/download`);
        expect(hash).toBe(hashOf(Buffer.from(each.content)));
      }
    }
  }

  async #hashOf(address: string): Promise<string> {
    const response = await this.#client.fetch("GET", address);
    expect([address, response.status]).toEqual([address, 200]);
    return hashOf(await response.bytes());
  }

  async compare(): Promise<void> {
    for (const drive of this.#drives) {
      await this.#compareDrive(drive);
      await this.#compareTrash(drive);
    }
  }

  async #compareTrash({ id: drive, top }: Drive): Promise<void> {
    const prefix = this.#random.chance(0.5) ? "" : this.#path();
    const query = new URLSearchParams({ drive_id: drive, prefix, limit: "1000" });
    const data = Object.entries(this.#tree.trash)
      .filter(([, { path }]) => path.startsWith(top + prefix))
      .toSorted(([a, one], [b, other]) => other.deletedAt - one.deletedAt || (a < b ? 1 : -1))
      .map(([id, { path, files }]) => ({
        id,
        kind: path.endsWith("/") ? "folder" : "file",
        path: path.slice(top.length),
        file_count: Object.keys(files).length,
        size: sizeOf(Object.values(files)),
      }));
    expect(await this.#client.get(`/v0/trash?${query.toString()}`)).toMatchObject({ data });
  }

  async #compareDrive(drive: Drive): Promise<void> {
    const { id, top } = drive;
    const { data } = await this.#client.get<{ data: object }>(`/v0/drives/${id}`);
    const { file_count, total_size } = this.#shownFolder(drive, "");
    expect(data).toMatchObject({ file_count, total_size });

    const path = this.#path();
    for (const prefix of ["", path, `${path}/`]) {
      const paths = this.#paths(top + prefix).map((each) => prefix + each);
      await this.#compareList(drive, { prefix }, paths);
      const level = paths.filter((each) => !each.slice(prefix.length).includes("/"));
      await this.#compareList(drive, { prefix, delimiter: "/" }, level, this.#foldersAt(drive, prefix));
      if (prefix === "" || prefix.endsWith("/")) await this.#compareOrders(drive, prefix, level);
      const tag = this.#random.pick(TAGS);
      const tagged = paths.filter((each) => this.#file(top + each).tags.includes(tag));
      await this.#compareList(drive, { prefix, tags: tag }, tagged);
    }
    for (const each of ["", `${path}/`]) await this.#compareFolders(drive, each);
    const folder = this.#tree.folders.findLast((each) => each.startsWith(top) && each !== top);
    if (folder === undefined) return;
    const asked = { drive_id: id, path: folder.slice(top.length) };
    const preview = await this.#client.delete<{ file_count: number }>("/v0/folders", asked);
    expect([folder, preview.file_count]).toEqual([folder, this.#paths(folder).length]);
  }

  /** Checks that each list, in every order, is sorted and has these files. */
  async #compareOrders({ id: drive }: Drive, prefix: string, paths: string[]): Promise<void> {
    for (const field of ["size", "updated_at"] as const) {
      const query = new URLSearchParams({ drive_id: drive, limit: "1000", delimiter: "/", prefix });
      const url = (sort: string) => `/v0/files?${query.toString()}&sort=${sort}`;
      const { data } = await this.#client.get<{ data: Sortable[] }>(url(field));
      expect([prefix, data.map(({ path }) => path).toSorted()]).toEqual([prefix, paths]);
      const keys = data.map((file): [number, string] => [
        field === "size" ? file.size : Date.parse(file.updated_at),
        file.id,
      ]);
      expect(keys).toEqual(keys.toSorted(([a, idA], [b, idB]) => a - b || (idA < idB ? -1 : 1)));
      const back = await this.#client.get<{ data: Sortable[] }>(url(`-${field}`));
      expect(back.data).toEqual(data.toReversed());
    }
  }

  async #compareFolders(drive: Drive, path: string): Promise<void> {
    const query = new URLSearchParams({ drive_id: drive.id, path, limit: "1000" });
    const folders = this.#foldersAt(drive, path);
    const status = this.#tree.folders.includes(drive.top + path) ? 200 : 404;
    const answer = await this.#client.json(status, "GET", `/v0/folders?${query.toString()}`);
    if (status === 404) return;
    const data = folders.map((each) => this.#shownFolder(drive, each));
    expect({ path, ...answer }).toMatchObject({ path, data, total: folders.length });
  }

  async #compareList(
    { id: drive, top }: Drive,
    query: Record<string, string>,
    paths: readonly string[],
    folders?: readonly string[],
  ): Promise<void> {
    const text = new URLSearchParams({ drive_id: drive, limit: "1000", ...query });
    const data = paths.map((path) => {
      const { id, content, tags } = this.#file(top + path);
      return { id, path, size: content.length, tags };
    });
    const list = await this.#client.get<{ data: { id: string }[]; folders?: string[] }>(
      `/v0/files?${text.toString()}`,
    );
    expect({ query, ...list }).toMatchObject({ query, data, total: paths.length });
    expect(list.folders).toEqual(folders?.slice());
    // Each time of another one: lists have their records from elsewhere.
    const shown = list.data[(this.#compared += 1) % list.data.length];
    if (shown !== undefined) expect(shown).toEqual(await this.#client.get(`/v0/files/${shown.id}`));
  }

  /** What is shown of a folder, but for when it was made. */
  #shownFolder(drive: Drive, path: string) {
    const files = this.#paths(drive.top + path).map((each) => this.#file(drive.top + path + each));
    return {
      drive_id: drive.id,
      path,
      file_count: files.length,
      total_size: sizeOf(files),
      has_folders: this.#foldersAt(drive, path).length > 0,
    };
  }

  #file(path: string): model.ModelFile {
    const file = this.#tree.files[path];
    if (file === undefined) throw new Error(`there is no file "${path}"`);
    return file;
  }

  /** The paths of files that start with a prefix, sorted; from there on. */
  #paths(prefix: string): string[] {
    const found = Object.keys(this.#tree.files).filter((path) => path.startsWith(prefix));
    return found.map((path) => path.slice(prefix.length)).toSorted();
  }

  /** The folders whose next `/` after the prefix is their last. */
  #foldersAt({ top }: Drive, prefix: string): string[] {
    const from = top + prefix;
    const isNext = (path: string) => path.indexOf("/", from.length) === path.length - 1;
    const found = this.#tree.folders.filter((path) => path.startsWith(from) && path !== from && isNext(path));
    return found.map((path) => path.slice(top.length));
  }

  /** The ids of files that existed before. */
  #gone(): string[] {
    const ids = new Set<string | null>(Object.values(this.#tree.files).map(({ id }) => id));
    return [...this.#ids].filter((id) => !ids.has(id));
  }

  #path(): string {
    return Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.pick(SEGMENTS)).join("/");
  }

  /** Mostly an existing file; else the id of one that is gone. */
  #anyFile(top: string): { readonly path: string; readonly id: string } {
    const paths = this.#paths(top);
    const path = paths.length === 0 || this.#random.chance(0.1) ? this.#path() : this.#random.pick(paths);
    const id = this.#tree.files[top + path]?.id ?? this.#random.pick([...this.#gone(), "nothing"]);
    return { path, id };
  }
}

function sizeOf(files: readonly model.ModelFile[]): number {
  return files.reduce((sum, { content }) => sum + content.length, 0);
}

/** The versions that a file has in the drive where it is. */
function shownVersions(path: string, { versions }: model.ModelFile) {
  return versions.filter(({ top }) => top === model.topOf(path));
}

/** Does random things in two new drives of Ada. Compares all lists after each. */
export async function runTreeModel(stage: Stage, seed: number, steps: number): Promise<void> {
  const { ada } = stage.world.clients;
  const drives = [await ada.makeDrive("One"), await ada.makeDrive("Two")];
  const run = new Run(stage, drives, seed);
  try {
    for (let step = 0; step < steps; step += 1) {
      await run.step();
      await run.compare();
      if (step % RECOUNT === RECOUNT - 1) await run.recount();
    }
  } catch (cause) {
    const last = run.done.slice(-12).join("\n");
    throw new Error(`seed ${seed}, step ${run.done.length}; the last steps:\n${last}`, { cause });
  }
}
