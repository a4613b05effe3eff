import { expect } from "bun:test";
import type { Scheduler } from "fast-check";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import type { DriveId, FileId, TrashId } from "../../../src/domain/id.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { formatInstant } from "../../../src/domain/time.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { filesIn } from "../samples/contents.ts";
import { copyRows } from "../samples/many-files.ts";
import { type OpenedServices, openOwnServices } from "../server/opened-services.ts";
import { faultsOfTrees } from "../faults/recount.ts";
import { UNCONDITIONAL } from "../samples/unconditional.ts";
import { FIRST_SHARDS, heldBlobs, HeldResults, heldTables } from "./held.ts";
import { type Done, expectAnOrder } from "./orders.ts";
import { type Change, type Entry, expected, SIZES } from "./tree-changes.ts";
import * as model from "./tree-model.ts";
import { callerWith, storeFile } from "../server/services-drive.ts";

/** How long somebody waits, in milliseconds. */
const WAIT_MS = ORPHAN_GRACE_MS / 3;
/** Contents that stay, so that the database knows most of them. */
const ANCHORS = 6;
/** A folder of more files than one transaction changes. */
const CROWD = 160;

/** The services, with their writes and the work on contents held. */
interface Opened extends OpenedServices {
  readonly held: HeldResults;
}

/** One store for many races; each has a drive and contents of its own. */
export class TreeRaces implements AsyncDisposable {
  readonly #opened: Opened;
  #races = 0;

  private constructor(opened: Opened) {
    this.#opened = opened;
  }

  static async open(): Promise<TreeRaces> {
    const held = new HeldResults();
    const opened = await openOwnServices({
      open: (database) => heldTables(held, database),
      blobsFor: (blobs) => heldBlobs(held, blobs),
    });
    return new TreeRaces({ ...opened, held });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#opened[Symbol.asyncDispose]();
  }

  /** Does everything at once, in an order that the scheduler chooses, and checks what came of it. */
  async run(
    scheduler: Scheduler,
    threads: readonly (readonly Change[])[],
    isCrowded: boolean,
  ): Promise<void> {
    this.#races += 1;
    const race = await TreeRace.begin(this.#opened, this.#races, isCrowded);
    const done = await this.#opened.held.race(scheduler, () =>
      Promise.all(threads.map((thread) => race.perform(thread))),
    );
    await race.check(done);
  }
}

/** Where a race is. */
interface Place {
  readonly caller: Caller;
  readonly drive: DriveId;
  readonly contents: ReadonlyMap<string, Buffer>;
  readonly expiresAt: string;
}

/** One drive, and what happens in it at once. */
class TreeRace {
  readonly #opened: Opened;
  readonly #caller: Caller;
  readonly #drive: DriveId;
  readonly #contents: ReadonlyMap<string, Buffer>;
  readonly #ids = new Map<string, FileId>();
  readonly #trash = new Map<Entry, TrashId>();
  /** When files expire that do. */
  readonly #expiresAt: string;
  #start = model.EMPTY;

  private constructor(opened: Opened, place: Place) {
    this.#opened = opened;
    this.#caller = place.caller;
    this.#drive = place.drive;
    this.#contents = place.contents;
    this.#expiresAt = place.expiresAt;
  }

  static async begin(opened: Opened, number: number, isCrowded: boolean): Promise<TreeRace> {
    const { services, clock, database } = opened;
    const { driveId, apiKey } = await services.drives.provision("Race");
    const caller = callerWith(services, apiKey);
    const contents = new Map(
      Object.entries(SIZES).map(([name, size]) => [name, contentOf(`${number} ${name}`, size)]),
    );
    for (let anchor = 0; anchor < ANCHORS; anchor += 1) {
      contents.set(`anchor ${anchor}`, contentOf(`anchor ${anchor}`, 17_000));
    }
    const expiresAt = formatInstant(clock.now() + ORPHAN_GRACE_MS + model.LIFETIME * WAIT_MS);
    const race = new TreeRace(opened, { caller, drive: driveId, contents, expiresAt });
    await race.#fillTrash(isCrowded);
    await race.#fill();
    if (isCrowded) {
      const first = race.#ids.get("second") ?? "";
      await database.write(() => copyRows(database, first, CROWD));
      // Into a folder that others change.
      await services.folders.move(caller, driveId, "many/", { path: "d/e/", driveId: undefined });
      race.#start = model.upload(race.#start, "d/e/#", "large")[1];
    }
    // The content of a file that is gone, which the next sweep may remove.
    const orphan = await race.#upload("orphan", "orphan");
    await services.files.remove(caller, { id: orphan }, UNCONDITIONAL);
    await services.sweep.run();
    clock.advance(ORPHAN_GRACE_MS);
    return race;
  }

  async #fill(): Promise<void> {
    const files = [
      ["a", "first", "small", false],
      ["d/a", "second", "large", false],
      ["d/b", "third", "huge", false],
      ["b", "fourth", "large", true],
    ] as const;
    for (const [path, id, content, expires] of files) {
      this.#ids.set(id, (await this.#uploaded(path, content, expires)).file.id);
      const [, tree] = model.upload(this.#start, path, content);
      this.#start = { ...tree, files: { ...tree.files, [path]: { id, content, expires } } };
    }
    for (let anchor = 0; anchor < ANCHORS; anchor += 1) {
      await this.#upload(`anchors/${anchor}`, `anchor ${anchor}`);
      this.#start = model.upload(this.#start, `anchors/${anchor}`, `anchor ${anchor}`)[1];
    }
  }

  /** Deletes a file and a folder at paths that others use. */
  async #fillTrash(isCrowded: boolean): Promise<void> {
    const { services, database } = this.#opened;
    const [caller, drive] = [this.#caller, this.#drive];
    const id = await this.#upload("e/a", "small");
    const file = await services.files.remove(caller, { id }, UNCONDITIONAL);
    const first = await this.#upload("e/d/x", "large");
    if (isCrowded) {
      await database.write(() => copyRows(database, first, CROWD));
      await services.folders.move(caller, drive, "many/", { path: "e/d/more/", driveId: undefined });
    }
    const folder = await services.folders.remove(caller, drive, "e/d/");
    await services.folders.remove(caller, drive, "e/");
    if (file.trashId === null || folder.trashId === null) throw new Error("nothing is kept");
    this.#trash.set("file", file.trashId);
    this.#trash.set("folder", folder.trashId);
    const files = { x: "large", ...(isCrowded ? { "more/#": "large" } : {}) };
    const trash = { file: { path: "e/a", files: { "": "small" } }, folder: { path: "e/d/", files } };
    this.#start = { ...this.#start, trash };
  }

  /** Does one thing after another. */
  async perform(thread: readonly Change[]): Promise<Done<model.ModelTree>[]> {
    const { held, clock } = this.#opened;
    const done: Done<model.ModelTree>[] = [];
    for (const each of thread) {
      await held.hold(each.kind, Promise.resolve());
      const began = clock.now();
      const outcome = await this.#outcome(each);
      // A content that nothing names is kept only for a while, so a reader may come too late.
      if (outcome === "lost" && clock.now() - began >= ORPHAN_GRACE_MS) continue;
      done.push({ name: JSON.stringify(each), outcome, after: (tree) => expected(tree, each) });
    }
    return done;
  }

  async #outcome(each: Change): Promise<string> {
    try {
      return await this.#perform(each);
    } catch (error) {
      if (error instanceof CofferError) return error.code;
      if (each.kind === "download") return "lost";
      throw error;
    }
  }

  async #perform(each: Change): Promise<string> {
    const { services, clock } = this.#opened;
    const [caller, drive] = [this.#caller, this.#drive];
    switch (each.kind) {
      case "upload":
        return (await this.#uploaded(each.path, each.content, each.expires)).created ? "created" : "replaced";
      case "download":
        return this.#download(each.id);
      case "remove":
        await services.files.remove(caller, { id: this.#id(each.id) }, UNCONDITIONAL);
        return "done";
      case "move":
      case "copy": {
        const to = { path: each.to, driveId: undefined, overwrite: each.overwrite };
        await (each.kind === "move"
          ? services.files.move(caller, { id: this.#id(each.id) }, to, UNCONDITIONAL)
          : services.files.copy(caller, { id: this.#id(each.id) }, to, UNCONDITIONAL));
        return "done";
      }
      case "create folder":
        return (await services.folders.create(caller, drive, each.path)).created ? "created" : "there";
      case "remove folder":
        await services.folders.remove(caller, drive, each.path);
        return "done";
      case "move folder":
      case "copy folder":
        await services.folders[each.kind === "move folder" ? "move" : "copy"](caller, drive, each.from, {
          path: each.to,
          driveId: undefined,
        });
        return "done";
      case "restore":
        await services.trash.restore(caller, this.#trash.get(each.entry) ?? "", undefined);
        return "done";
      case "purge":
        await services.trash.remove(caller, this.#trash.get(each.entry) ?? "");
        return "done";
      case "sweep":
        await services.sweep.run();
        return "done";
      case "wait":
        clock.advance(WAIT_MS);
        return "done";
    }
  }

  #id(name: string): FileId {
    const id = this.#ids.get(name);
    if (id === undefined) throw new Error(`there is no ${name} file`);
    return id;
  }

  async #upload(path: string, content: string): Promise<FileId> {
    return (await this.#uploaded(path, content)).file.id;
  }

  #uploaded(path: string, content: string, expires = false) {
    const bytes = this.#contents.get(content) ?? "";
    const expiresAt = expires ? this.#expiresAt : undefined;
    const place = { services: this.#opened.services, caller: this.#caller, drive: this.#drive };
    return storeFile(place, path, bytes, { expiresAt });
  }

  /** The name of the content that a reader gets. */
  async #download(id: string): Promise<string> {
    const { services, held } = this.#opened;
    const file = services.files.get(this.#caller, { id: this.#id(id) });
    const content = await services.files.content(file);
    await held.hold("reading", Promise.resolve());
    return this.#nameOf(await content.bytes());
  }

  #nameOf(bytes: Uint8Array): string {
    const found = [...this.#contents].find(([, content]) => content.equals(bytes));
    return found?.[0] ?? `${bytes.length} bytes of no content`;
  }

  /** Fails unless there is an order for what was done, and all that is there now is whole. */
  async check(threads: readonly (readonly Done<model.ModelTree>[])[]): Promise<void> {
    const tree = await this.#tree();
    const end = JSON.stringify(tree);
    const isEnd = (state: model.ModelTree) => JSON.stringify(shape(state)) === end;
    expectAnOrder(threads, this.#start, tree, isEnd);
    const { sql } = this.#opened.database;
    expect(faultsOfTrees(sql)).toEqual([]);
    await this.#checkContents();
    await this.#opened.services.drives.remove(this.#caller, this.#drive);
  }

  /** After the grace periods all contents that are needed are whole, and there are no others. */
  async #checkContents(): Promise<void> {
    const { services, clock, root, database } = this.#opened;
    // What expires has expired.
    clock.advance(model.LIFETIME * WAIT_MS);
    const before = await this.#tree();
    for (let sweeps = 0; sweeps < 2; sweeps += 1) {
      await services.sweep.run();
      clock.advance(ORPHAN_GRACE_MS);
    }
    await services.sweep.run();
    expect(await this.#tree()).toEqual(before);
    const rows = database.sql
      .query<{ digest: string }, [number]>("SELECT digest FROM blob WHERE size > ? ORDER BY digest")
      .all(SMALL_CONTENT_BYTES);
    const onDisk = filesIn(root).map(({ digest }) => digest);
    expect(onDisk.toSorted()).toEqual(rows.map(({ digest }) => digest));
  }

  /** What the drive holds now, as far as the model can tell it. Reads every content. */
  async #tree(): Promise<Shape> {
    const { services } = this.#opened;
    const request = {
      driveId: this.#drive,
      prefix: "",
      grouped: false,
      tags: [],
      sort: "path" as const,
      page: 1,
    };
    const { files } = services.listings.list(this.#caller, { ...request, limit: 100_000, after: null });
    const shown: Record<string, string> = {};
    const crowds = new Map<string, number>();
    for (const { id, path } of files) {
      const crowd = /^(.*\/)\d{7}\.txt$/.exec(path)?.[1];
      if (crowd !== undefined) crowds.set(crowd, (crowds.get(crowd) ?? 0) + 1);
      if (crowd !== undefined && (crowds.get(crowd) ?? 0) > 1) continue;
      const file = services.files.get(this.#caller, { id });
      const name = this.#nameOf(await (await services.files.content(file)).bytes());
      shown[crowd === undefined ? path : `${crowd}#`] = name;
    }
    for (const count of crowds.values()) expect(count).toBe(CROWD);
    return { files: sorted(shown), folders: this.#folders("") };
  }

  #folders(path: string): string[] {
    const request = { driveId: this.#drive, path, page: 1, limit: 1000, after: null };
    const { folders } = this.#opened.services.folders.list(this.#caller, request);
    return folders.flatMap(({ folder }) => [folder.path, ...this.#folders(folder.path)]).toSorted();
  }
}

/** Bytes whose digest is in one of the first shards. */
function contentOf(name: string, size: number): Buffer {
  const content = Buffer.alloc(size, name);
  const start = new Bun.CryptoHasher("sha256").update(content.subarray(0, size - 4));
  for (let nonce = 0; ; nonce += 1) {
    content.writeUInt32LE(nonce, size - 4);
    const [first = 255] = start
      .copy()
      .update(content.subarray(size - 4))
      .digest();
    if (first < FIRST_SHARDS) return content;
  }
}

/** What can be seen of a tree. */
interface Shape {
  readonly files: readonly (readonly [path: string, content: string])[];
  readonly folders: readonly string[];
}

function sorted(files: Readonly<Record<string, string>>): Shape["files"] {
  return Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function shape({ files, folders }: model.ModelTree): Shape {
  return {
    files: sorted(Object.fromEntries(Object.entries(files).map(([path, { content }]) => [path, content]))),
    folders,
  };
}
