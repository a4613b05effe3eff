import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import { runs } from "../support/models/properties.ts";
import {
  type Change,
  type Entry,
  expected,
  LIFETIME,
  SIZES,
  treeThreads,
} from "../support/races/tree-changes.ts";
import type { Caller } from "../../src/domain/accounts/caller.ts";
import type { DriveId, FileId, TrashId } from "../../src/domain/id.ts";
import { CofferError } from "../../src/domain/errors.ts";
import { SMALL_CONTENT_BYTES } from "../../src/domain/limits.ts";
import { formatInstant } from "../../src/domain/time.ts";
import { ORPHAN_GRACE_MS } from "../../src/services/upkeep/sweep.ts";
import { filesIn } from "../support/samples/contents.ts";
import { copyRows } from "../support/samples/many-files.ts";
import type { OpenedServices } from "../support/server/services-drive.ts";
import { callerWith, openOwnServices, storeFile } from "../support/server/services-drive.ts";
import { faultsOfTrees } from "../support/faults/recount.ts";
import { UNCONDITIONAL } from "../support/samples/unconditional.ts";
import { FIRST_SHARDS, heldBlobs, HeldResults, heldTables } from "../support/races/held.ts";
import { type Done, expectAnOrder } from "../support/races/orders.ts";
import * as model from "../support/models/model-tree.ts";

/** How long somebody waits, in milliseconds. */
const WAIT_MS = ORPHAN_GRACE_MS / 3;
/** Contents that stay, so that the database knows most of them. */
const ANCHORS = 6;
/** A folder of more files than one transaction changes. */
const CROWD = 160;

/** The services, with their writes and the work on contents held. */
let opened: OpenedServices;
const held = new HeldResults();
let races = 0;

/** One drive, and what happens in it at once. */
class TreeRace {
  readonly #caller: Caller;
  readonly #drive: DriveId;
  readonly #contents: ReadonlyMap<string, Buffer>;
  readonly #ids = new Map<string, FileId>();
  readonly #trash = new Map<Entry, TrashId>();
  /** When files expire that do. */
  readonly #expiresAt = formatInstant(opened.clock.now() + ORPHAN_GRACE_MS + LIFETIME * WAIT_MS);
  #start = model.EMPTY;

  private constructor(caller: Caller, drive: DriveId, contents: ReadonlyMap<string, Buffer>) {
    this.#caller = caller;
    this.#drive = drive;
    this.#contents = contents;
  }

  static async begin(number: number, isCrowded: boolean): Promise<TreeRace> {
    const { services, clock, database } = opened;
    const { driveId, apiKey } = await services.drives.provision("Race");
    const caller = callerWith(services, apiKey);
    const contents = new Map(
      Object.entries(SIZES).map(([name, size]) => [name, contentOf(`${number} ${name}`, size)]),
    );
    for (let anchor = 0; anchor < ANCHORS; anchor += 1) {
      contents.set(`anchor ${anchor}`, contentOf(`anchor ${anchor}`, 17_000));
    }
    const race = new TreeRace(caller, driveId, contents);
    await race.#fillTrash(isCrowded);
    await race.#fill();
    if (isCrowded) {
      const first = race.#ids.get("second") ?? "";
      await database.write(() => copyRows(database, first, CROWD));
      // Into a folder that others change.
      await services.folders.move(caller, driveId, "many/", { path: "d/e/", driveId: undefined });
      race.#begin("d/e/#", "large");
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
      this.#begin(path, content, { id, expiresAt: expires ? LIFETIME : null });
    }
    for (let anchor = 0; anchor < ANCHORS; anchor += 1) {
      await this.#upload(`anchors/${anchor}`, `anchor ${anchor}`);
      this.#begin(`anchors/${anchor}`, `anchor ${anchor}`);
    }
  }

  /** Puts a file into the tree that the model begins with. */
  #begin(path: string, content: string, more: Partial<model.ModelFile> = {}): void {
    [, this.#start] = model.upload(this.#start, path, model.newFile(content, more));
  }

  /** Deletes a file and a folder at paths that others use. */
  async #fillTrash(isCrowded: boolean): Promise<void> {
    const { services, database } = opened;
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
    this.#begin("e/a", "small", { id: "gone" });
    this.#begin("e/d/x", "large");
    if (isCrowded) this.#begin("e/d/more/#", "large");
    [, this.#start] = model.removeFile(this.#start, "gone", "file");
    [, this.#start] = model.removeFolder(this.#start, "e/d/", "folder");
    [, this.#start] = model.removeFolder(this.#start, "e/");
  }

  /** Does one thing after another. */
  async perform(thread: readonly Change[]): Promise<Done<model.ModelTree>[]> {
    const { clock } = opened;
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
    const { services, clock } = opened;
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
        await services.files[each.kind](caller, { id: this.#id(each.id) }, to, UNCONDITIONAL);
        return each.kind === "copy" ? "created" : "done";
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
        return each.kind === "copy folder" ? "created" : "done";
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
    const place = { services: opened.services, caller: this.#caller, drive: this.#drive };
    return storeFile(place, path, bytes, { expiresAt });
  }

  /** The name of the content that a reader gets. */
  async #download(id: string): Promise<string> {
    const { services } = opened;
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
    const { sql } = opened.database;
    expect(faultsOfTrees(sql)).toEqual([]);
    await this.#checkContents();
    await opened.services.drives.remove(this.#caller, this.#drive);
  }

  /** After the grace periods all contents that are needed are whole, and there are no others. */
  async #checkContents(): Promise<void> {
    const { services, clock, root, database } = opened;
    // What expires has expired.
    clock.advance(LIFETIME * WAIT_MS);
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
    const { services } = opened;
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
    const { folders } = opened.services.folders.list(this.#caller, request);
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

beforeAll(async () => {
  opened = await openOwnServices({
    open: (database) => heldTables(held, database),
    blobsFor: (blobs) => heldBlobs(held, blobs),
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

test.each([
  [
    "changes of one drive at once come out as if one came after another, and every content is whole",
    false,
    0.5,
  ],
  ["so do changes of a folder that takes several transactions", true, 0.2],
])("%s", async (_, isCrowded, share) => {
  await fc.assert(
    // In an order that the scheduler chooses.
    fc.asyncProperty(fc.scheduler(), treeThreads, async (scheduler, threads) => {
      const race = await TreeRace.begin((races += 1), isCrowded);
      await race.check(
        await held.race(scheduler, () => Promise.all(threads.map((thread) => race.perform(thread)))),
      );
    }),
    runs(share),
  );
});
