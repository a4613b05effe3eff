import { expect } from "bun:test";
import { join } from "node:path";
import type { Client, Json } from "../server/client.ts";
import { ancestors, ModelDrive } from "./model-drive.ts";
import { type ModelEntry, nearestPlace, type Taken } from "./model-drive.ts";
import { Random } from "../server/random.ts";
import { faultsOfTrees } from "../faults/recount.ts";
import type { Stage } from "../server/scenario.ts";
import { listFiles } from "../server/drives.ts";

const STEPS = 250;
const HOUR = 60 * 60 * 1000;
/** After how many steps everything is counted anew. */
const RECOUNT = 50;
/** What the model's Coffer must be opened with: so that the ends of what it keeps come within a run. */
export const KEEPS_A_DAY = { "keep-days": "1" };
const SEGMENTS = ["a", "b", "ab", "%"];
const TAGS = ["red", "big"];

/** What an answer may name. */
interface Named {
  readonly id: string;
  readonly trash_id?: string;
  readonly trash_ids?: readonly string[];
}

interface ShownEntry {
  readonly id: string;
  readonly kind: string;
  readonly path: string;
  readonly file_count: number;
  readonly size: number;
  readonly deleted_at: string;
}

interface Sortable {
  readonly id: string;
  readonly path: string;
  readonly size: number;
  readonly updated_at: string;
}

/** Does the same in a Coffer and in the model, and compares the results. */
class Run {
  readonly #stage: Stage;
  readonly #client: Client;
  readonly #drives: ModelDrive[];
  readonly #random: Random;
  /** Ids of files that existed before. */
  #gone: string[] = [];
  #trash: ModelEntry[] = [];
  readonly done: string[] = [];

  constructor(on: Stage, drives: readonly string[], seed: number) {
    this.#stage = on;
    this.#client = on.world.clients.ada;
    this.#drives = drives.map((id) => new ModelDrive(id));
    this.#random = new Random(seed);
  }

  async step(): Promise<void> {
    this.#expire();
    const drive = this.#random.pick(this.#drives);
    const steps = [
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
      () => this.#pass(),
    ];
    await this.#random.pick(steps)();
    this.#expire();
  }

  #expire(): void {
    const now = this.#stage.coffer.clock.now();
    for (const each of this.#drives) each.expire(now);
    for (const { files } of this.#trash)
      for (const [path, { expiresAt }] of files) if (expiresAt <= now) files.delete(path);
    this.#trash = this.#trash.filter(
      ({ kind, files, deletedAt }) => deletedAt > now - 24 * HOUR && (kind === "folder" || files.size > 0),
    );
  }

  async compare(): Promise<void> {
    for (const drive of this.#drives) {
      await this.#compareDrive(drive);
      await this.#compareTrash(drive);
    }
  }

  /** Counts everything anew. */
  recount(): void {
    expect(faultsOfTrees({ filename: join(this.#stage.coffer.dataDir, "coffer.db") })).toEqual([]);
  }

  async #upload(drive: ModelDrive): Promise<void> {
    const path = this.#path();
    const body = "x".repeat(this.#random.below(20));
    const tags = TAGS.filter(() => this.#random.chance(0.5));
    const lasting = this.#random.chance(0.6);
    const expiresAt = lasting
      ? Infinity
      : this.#stage.coffer.clock.now() + HOUR * (1 + this.#random.below(4));
    const query = new URLSearchParams({ drive_id: drive.id, path, tags: tags.join(",") });
    if (!lasting) query.set("expires_at", new Date(expiresAt).toISOString());
    const present = drive.files.get(path);
    const status = present !== undefined ? 200 : drive.hasPlaceFor(path) ? 201 : 409;
    const made = await this.#ask(status, "PUT", `/v0/files?${query.toString()}`, body);
    if (status === 409) return;
    if (present !== undefined) expect(made.id).toBe(present.id);
    // An expiry that is not given stays.
    const kept = lasting ? (present?.expiresAt ?? Infinity) : expiresAt;
    drive.set(path, { id: made.id, size: body.length, tags, expiresAt: kept });
  }

  async #relocate(how: "move" | "copy", from: ModelDrive): Promise<void> {
    const path = this.#anyPath(from);
    const file = from.files.get(path);
    const to = this.#random.pick(this.#drives);
    const target = this.#path();
    const overwrite = this.#random.chance(0.5);
    const id = file?.id ?? this.#random.pick([...this.#gone, "nothing"]);
    const body = { destination_path: target, destination_drive_id: to.id, overwrite };
    const isItself = to === from && target === path;
    const success = how === "move" ? 200 : 201;
    const blocked = to.files.has(target) ? !overwrite || isItself : !to.hasPlaceFor(target);
    const status = file === undefined ? 404 : isItself && how === "move" ? 200 : blocked ? 409 : success;
    const made = await this.#ask(status, "POST", `/v0/files/${id}/${how}`, body);
    if (file === undefined || status === 409 || isItself) return;
    const overwritten = to.files.get(target);
    if (overwritten !== undefined) {
      const { data } = await this.#client.get<{ data: { id: string }[] }>(
        `/v0/trash?drive_id=${to.id}&limit=1000`,
      );
      const [entry] = data.filter(({ id: each }) => this.#trash.every(({ id: known }) => known !== each));
      this.#keepFile(to, target, entry?.id);
    }
    if (how === "move") {
      from.files.delete(path);
      to.set(target, file);
    } else {
      to.set(target, { ...file, id: made.id, expiresAt: Infinity });
    }
  }

  async #rename(drive: ModelDrive): Promise<void> {
    const path = this.#anyPath(drive);
    const file = drive.files.get(path);
    if (file === undefined) return;
    const filename = this.#random.pick(SEGMENTS);
    const target = path.slice(0, path.lastIndexOf("/") + 1) + filename;
    const blocked = target !== path && (drive.files.has(target) || !drive.hasPlaceFor(target));
    await this.#ask(blocked ? 409 : 200, "PATCH", `/v0/files/${file.id}`, { filename });
    if (blocked) return;
    drive.files.delete(path);
    drive.set(target, file);
  }

  async #remove(drive: ModelDrive): Promise<void> {
    const path = this.#anyPath(drive);
    const file = drive.files.get(path);
    const { trash_id: entry } = await this.#ask(
      file === undefined ? 404 : 200,
      "DELETE",
      `/v0/files/${file?.id ?? this.#random.pick([...this.#gone, "x"])}`,
    );
    this.#keepFile(drive, path, entry);
  }

  async #removeMany(drive: ModelDrive): Promise<void> {
    const paths = [...drive.files.keys()].filter(() => this.#random.chance(0.2));
    const ids = paths.flatMap((path) => drive.files.get(path)?.id ?? []);
    const body = { file_ids: [...ids, ...this.#gone.slice(0, 1)] };
    const answer = await this.#ask(200, "POST", "/v0/files/bulk-delete", body);
    expect(answer).toMatchObject({ deleted: ids, failed: this.#gone.slice(0, 1) });
    for (const [index, path] of paths.entries()) this.#keepFile(drive, path, answer.trash_ids?.[index]);
  }

  async #createFolder(drive: ModelDrive): Promise<void> {
    const path = `${this.#path()}/`;
    const blocked = ancestors(path).some((folder) => drive.files.has(folder.slice(0, -1)));
    const status = drive.folders.has(path) ? 200 : blocked ? 409 : 201;
    await this.#ask(status, "POST", "/v0/folders", { drive_id: drive.id, path });
    if (status === 201) for (const folder of ancestors(path)) drive.folders.add(folder);
  }

  async #removeFolder(drive: ModelDrive): Promise<void> {
    // Mostly small ones, or the tree would never grow.
    const path = `${this.#path()}/`;
    if (this.#random.chance(0.5) && path.split("/").length < 3) return;
    const known = drive.folders.has(path);
    const below = drive.paths(path);
    const body = { drive_id: drive.id, path, confirm: true };
    const answer = await this.#ask(known ? 200 : 404, "DELETE", "/v0/folders", body);
    if (!known) return;
    expect(answer).toMatchObject({ success: true, deleted_count: below.length });
    const files = new Map(
      below.flatMap((each) => {
        const file = drive.files.get(each);
        return file === undefined ? [] : [[each.slice(path.length), file] as const];
      }),
    );
    const inside = [...drive.folders].filter((folder) => folder.startsWith(path));
    this.#keep(drive, path, answer.trash_id, files, inside);
    for (const file of below) this.#forget(drive, file);
    for (const folder of inside) drive.folders.delete(folder);
  }

  /** Puts the file at a path into the trash. */
  #keepFile(drive: ModelDrive, path: string, id: string | undefined): void {
    const file = drive.files.get(path);
    if (file === undefined) return;
    this.#keep(drive, path, id, new Map([["", file]]), []);
    this.#forget(drive, path);
  }

  #keep(
    { id: drive }: ModelDrive,
    path: string,
    id: string | undefined,
    files: ModelEntry["files"],
    folders: readonly string[],
  ): void {
    if (id === undefined) throw new Error(`nothing says where "${path}" is in the trash`);
    const kind = path.endsWith("/") ? "folder" : "file";
    const relative = folders.map((folder) => folder.slice(path.length));
    const deletedAt = this.#stage.coffer.clock.now();
    this.#trash.push({ id, drive, kind, path, files, folders: relative, deletedAt });
  }

  async #restore(): Promise<void> {
    if (this.#trash.length === 0) return;
    const entry = this.#random.pick(this.#trash);
    const drive = this.#drives.find(({ id }) => id === entry.drive);
    if (drive === undefined) throw new Error("an entry of no drive");
    const place = this.#random.chance(0.3) ? this.#path() + (entry.kind === "folder" ? "/" : "") : null;
    const target = place ?? nearestPlace(takenIn(drive), entry);
    const asFile = entry.kind === "folder" ? target.slice(0, -1) : target;
    const blocked = drive.files.has(asFile) || !drive.hasPlaceFor(asFile);
    const url = `/v0/trash/${entry.id}/restore`;
    const answer = await this.#ask(blocked ? 409 : 200, "POST", url, place === null ? {} : { path: place });
    if (blocked) return;
    expect(answer).toMatchObject({ path: target, file_count: entry.files.size, restored: true });
    this.#trash = this.#trash.filter((each) => each !== entry);
    for (const folder of [...ancestors(target), ...entry.folders.map((each) => target + each)])
      drive.folders.add(folder);
    const back = new Set([...entry.files.values()].map(({ id }) => id));
    this.#gone = this.#gone.filter((id) => !back.has(id));
    for (const [path, file] of entry.files) drive.set(target + path, file);
    await this.#ask(404, "POST", url, {});
  }

  async #purge(): Promise<void> {
    if (this.#trash.length === 0) return;
    const entry = this.#random.pick(this.#trash);
    await this.#ask(200, "DELETE", `/v0/trash/${entry.id}`);
    this.#trash = this.#trash.filter((each) => each !== entry);
  }

  async #compareTrash({ id: drive }: ModelDrive): Promise<void> {
    const prefix = this.#random.chance(0.5) ? "" : this.#path();
    const query = new URLSearchParams({ drive_id: drive, prefix, limit: "1000" });
    const { data } = await this.#client.get<{ data: ShownEntry[] }>(`/v0/trash?${query.toString()}`);
    const ends = data.map(({ deleted_at, id }) => [deleted_at, id].join());
    expect(ends).toEqual(ends.toSorted().toReversed());
    const expected = this.#trash
      .filter((entry) => entry.drive === drive && entry.path.startsWith(prefix))
      .map(({ id, kind, path, files }) => {
        const size = [...files.values()].reduce((sum, file) => sum + file.size, 0);
        return [id, kind, path, files.size, size].join();
      });
    const shown = data.map(({ id, kind, path, file_count, size }) =>
      [id, kind, path, file_count, size].join(),
    );
    expect(shown.toSorted()).toEqual(expected.toSorted());
  }

  async #relocateFolder(how: "move" | "copy", from: ModelDrive): Promise<void> {
    const path =
      this.#random.chance(0.2) || from.folders.size === 0
        ? `${this.#path()}/`
        : this.#random.pick([...from.folders]);
    const to = this.#random.pick(this.#drives);
    const target = `${this.#path()}/`;
    const blocked =
      (to === from && target.startsWith(path)) ||
      to.folders.has(target) ||
      ancestors(target).some((folder) => to.files.has(folder.slice(0, -1)));
    const status = !from.folders.has(path) ? 404 : blocked ? 409 : how === "move" ? 200 : 201;
    const body = { drive_id: from.id, path, destination_path: target, destination_drive_id: to.id };
    const answer = await this.#ask(status, "POST", `/v0/folders/${how}`, body);
    if (status >= 400) return;
    const files = from.paths(path).map((each) => [each, from.files.get(each)] as const);
    const folders = [...from.folders].filter((each) => each.startsWith(path));
    if (how === "move") {
      for (const [each] of files) from.files.delete(each);
      for (const each of folders) from.folders.delete(each);
    }
    for (const each of [...ancestors(target), ...folders.map((folder) => target + folder.slice(path.length))])
      to.folders.add(each);
    const ids = how === "move" ? null : await this.#idsIn(to, target);
    for (const [each, file] of files) {
      const at = target + each.slice(path.length);
      if (file !== undefined)
        to.files.set(at, ids === null ? file : { ...file, id: ids.get(at) ?? "", expiresAt: Infinity });
    }
    expect(answer).toMatchObject({
      drive_id: to.id,
      path: target,
      file_count: files.length,
      total_size: to.size(to.paths(target)),
      has_folders: to.foldersAt(target).length > 0,
    });
  }

  async #idsIn(drive: ModelDrive, prefix: string): Promise<Map<string, string>> {
    const data = await listFiles({ client: this.#client }, drive.id, prefix);
    const known = new Set(this.#drives.flatMap(({ files }) => [...files.values()].map((file) => file.id)));
    expect(data.filter(({ id }) => known.has(id))).toEqual([]);
    return new Map(data.map(({ id, path }) => [path, id]));
  }

  /** Lets time pass, sometimes with a sweep. */
  async #pass(): Promise<void> {
    this.done.push("an hour passes");
    this.#stage.coffer.clock.advance(HOUR);
    if (this.#random.chance(0.5)) await this.#stage.coffer.appliance.services.sweep.run();
  }

  async #compareDrive(drive: ModelDrive): Promise<void> {
    const { data } = await this.#client.get<{ data: { file_count: number; total_size: number } }>(
      `/v0/drives/${drive.id}`,
    );
    expect([data.file_count, data.total_size]).toEqual([drive.files.size, drive.size(drive.paths(""))]);

    const path = this.#path();
    for (const prefix of ["", path, `${path}/`]) {
      const paths = drive.paths(prefix);
      await this.#compareList(drive, { prefix }, paths);
      const level = paths.filter((each) => !each.slice(prefix.length).includes("/"));
      await this.#compareList(drive, { prefix, delimiter: "/" }, level, drive.foldersAt(prefix));
      if (prefix === "" || prefix.endsWith("/")) await this.#compareOrders(drive, prefix, level);
      const tag = this.#random.pick(TAGS);
      const tagged = paths.filter((each) => drive.files.get(each)?.tags.includes(tag));
      await this.#compareList(drive, { prefix, tags: tag }, tagged);
    }
    for (const each of ["", `${path}/`]) await this.#compareFolders(drive, each);
    const folder = [...drive.folders].at(-1);
    if (folder === undefined) return;
    const preview = await this.#client.delete<{ file_count: number }>("/v0/folders", {
      drive_id: drive.id,
      path: folder,
    });
    expect([folder, preview.file_count]).toEqual([folder, drive.paths(folder).length]);
  }

  /** Checks that each list, in every order, is sorted and has these files. */
  async #compareOrders(drive: ModelDrive, prefix: string, paths: readonly string[]): Promise<void> {
    for (const field of ["size", "updated_at"] as const) {
      const query = new URLSearchParams({ drive_id: drive.id, limit: "1000", delimiter: "/", prefix });
      const url = (sort: string) => `/v0/files?${query.toString()}&sort=${sort}`;
      const { data } = await this.#client.get<{ data: Sortable[] }>(url(field));
      expect({ prefix, paths: data.map(({ path }) => path).toSorted() }).toEqual({
        prefix,
        paths: [...paths],
      });
      const keys = data.map(
        (file) => [field === "size" ? file.size : Date.parse(file.updated_at), file.id] as const,
      );
      expect(keys).toEqual(keys.toSorted(([a, idA], [b, idB]) => a - b || (idA < idB ? -1 : 1)));
      const back = await this.#client.get<{ data: Sortable[] }>(url(`-${field}`));
      expect(back.data).toEqual(data.toReversed());
    }
  }

  async #compareFolders(drive: ModelDrive, path: string): Promise<void> {
    const query = new URLSearchParams({ drive_id: drive.id, path, limit: "1000" });
    const url = `/v0/folders?${query.toString()}`;
    if (path !== "" && !drive.folders.has(path)) {
      await this.#client.json(404, "GET", url);
      return;
    }
    const folders = drive.foldersAt(path);
    const expected = folders.map((folder) => {
      const paths = drive.paths(folder);
      const counts = { file_count: paths.length, total_size: drive.size(paths) };
      const made = expect.any(String);
      return {
        drive_id: drive.id,
        path: folder,
        ...counts,
        has_folders: drive.foldersAt(folder).length > 0,
        created_at: made,
      };
    });
    const { data, total } = await this.#client.get<{ data: unknown[]; total: number }>(url);
    expect({ path, data, total }).toEqual({ path, data: expected, total: folders.length });
  }

  async #compareList(
    drive: ModelDrive,
    query: Record<string, string>,
    paths: readonly string[],
    folders?: readonly string[],
  ): Promise<void> {
    const text = new URLSearchParams({ drive_id: drive.id, limit: "1000", ...query });
    const list = await this.#client.get<{
      data: { id: string; path: string }[];
      total: number;
      folders?: string[];
    }>(`/v0/files?${text.toString()}`);
    const expected = paths.map((path) => [path, drive.files.get(path)?.id ?? ""]);
    expect({
      query,
      files: list.data.map(({ path, id }) => [path, id]),
      total: list.total,
      folders: list.folders,
    }).toEqual({ query, files: expected, total: expected.length, folders: folders?.slice() });
  }

  async #ask(status: number, method: string, path: string, body?: Json): Promise<Named> {
    this.done.push(`${method} ${path} ${JSON.stringify(body)}: ${status}`);
    return this.#client.json<Named>(status, method, path, body === undefined ? {} : { body });
  }

  #forget(drive: ModelDrive, path: string): void {
    const file = drive.files.get(path);
    if (file === undefined) return;
    this.#gone.push(file.id);
    drive.files.delete(path);
  }

  #path(): string {
    return Array.from({ length: 1 + this.#random.below(3) }, () => this.#random.pick(SEGMENTS)).join("/");
  }

  /** Mostly the path of an existing file. */
  #anyPath(drive: ModelDrive): string {
    const paths = [...drive.files.keys()];
    return paths.length === 0 || this.#random.chance(0.1) ? this.#path() : this.#random.pick(paths);
  }
}

function takenIn({ files, folders }: ModelDrive): Taken {
  return { hasFile: (path) => files.has(path), hasFolder: (path) => folders.has(path) };
}

/** Does `STEPS` random things in two new drives of Ada. Compares all lists after each. */
export async function runTreeModel(stage: Stage, seed: number): Promise<void> {
  const { ada } = stage.world.clients;
  const drives = [await ada.makeDrive("One"), await ada.makeDrive("Two")];
  const run = new Run(
    stage,
    drives.map(({ id }) => id),
    seed,
  );
  try {
    for (let step = 0; step < STEPS; step += 1) {
      await run.step();
      await run.compare();
      if (step % RECOUNT === 0) run.recount();
    }
  } catch (cause) {
    const last = run.done.slice(-12).join("\n");
    throw new Error(`seed ${seed}, step ${run.done.length}; the last steps:\n${last}`, { cause });
  }
}
