import { afterAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { Caller } from "../../src/domain/accounts/caller.ts";
import type { DriveId, FileId } from "../../src/domain/id.ts";
import { CofferError } from "../../src/domain/errors.ts";
import { SMALL_CONTENT_BYTES } from "../../src/domain/limits.ts";
import { formatInstant } from "../../src/domain/time.ts";
import { ORPHAN_GRACE_MS } from "../../src/services/upkeep/sweep.ts";
import { faultsOfTrees } from "../support/faults/recount.ts";
import * as model from "../support/models/model-tree.ts";
import { FIRST_SHARDS, heldBlobs, HeldResults, heldTables } from "../support/races/held.ts";
import { type Deed, expectOrders, often, type Race, threadsOf } from "../support/races/orders.ts";
import { filesIn } from "../support/samples/contents.ts";
import { copyRows } from "../support/samples/many-files.ts";
import { UNCONDITIONAL } from "../support/samples/unconditional.ts";
import { callerWith, openOwnServices, storeFile } from "../support/server/services-drive.ts";

/** The sizes of the contents, in bytes: in the database, in a file, and too long to be read at once. */
const SIZES = { small: 100, large: 20_000, huge: 100_000, orphan: 30_000 };
/** The one time at which files expire: after so many waits. In the model, time is how often somebody has waited. */
const LIFETIME = 1;
/** How long somebody waits, in milliseconds. */
const WAIT_MS = ORPHAN_GRACE_MS / 3;
/** Contents that stay, so that the database knows most of them. */
const ANCHORS = 6;
/** A folder of more files than one transaction changes. */
const CROWD = 160;

/** The services, with their writes and the work on contents held. */
const held = new HeldResults();
const opened = await openOwnServices({
  open: (database) => heldTables(held, database),
  blobsFor: (blobs) => heldBlobs(held, blobs),
});
afterAll(() => opened[Symbol.asyncDispose]());
let races = 0;

/** One drive, in which things happen at once. */
class TreeRace implements Race<model.ModelTree> {
  readonly caller: Caller;
  readonly drive: DriveId;
  readonly #contents: ReadonlyMap<string, Buffer>;
  /** By the names of the model: of files, and of what is in the trash. */
  readonly #ids = new Map<string, FileId>();
  readonly trash = { file: "", folder: "" };
  /** When files expire that do. */
  readonly #expiresAt = formatInstant(opened.clock.now() + ORPHAN_GRACE_MS + LIFETIME * WAIT_MS);
  start: model.ModelTree = model.EMPTY;

  private constructor(caller: Caller, drive: DriveId, contents: ReadonlyMap<string, Buffer>) {
    this.caller = caller;
    this.drive = drive;
    this.#contents = contents;
  }

  static async begin(isCrowded: boolean): Promise<TreeRace> {
    races += 1;
    const { services, clock } = opened;
    const { driveId, apiKey } = await services.drives.provision("Race");
    const caller = callerWith(services, apiKey);
    const contents = new Map(
      Object.entries(SIZES).map(([name, size]) => [name, contentOf(`${races} ${name}`, size)]),
    );
    for (let anchor = 0; anchor < ANCHORS; anchor += 1) {
      contents.set(`anchor ${anchor}`, contentOf(`anchor ${anchor}`, 17_000));
    }
    const race = new TreeRace(caller, driveId, contents);
    await race.#fillTrash(isCrowded);
    await race.#put("a", "small", "first");
    const crowd = await race.#put("d/a", "large", "second");
    await race.#put("d/b", "huge", "third");
    await race.#put("b", "large", "fourth", true);
    for (let anchor = 0; anchor < ANCHORS; anchor += 1)
      await race.#put(`anchors/${anchor}`, `anchor ${anchor}`);
    // Into a folder that others change.
    if (isCrowded) await race.#addCrowd(crowd, "d/e/");
    // The content of a file that is gone, which the next sweep may remove.
    const { file } = await race.uploaded("orphan", "orphan");
    await services.files.remove(caller, { id: file.id }, UNCONDITIONAL);
    await services.sweep.run();
    clock.advance(ORPHAN_GRACE_MS);
    return race;
  }

  /** Puts a file where the race starts, also in the model. */
  async #put(path: string, content: string, id: string | null = null, expires = false): Promise<FileId> {
    const { file } = await this.uploaded(path, content, expires);
    if (id !== null) this.#ids.set(id, file.id);
    const expiresAt = expires ? LIFETIME : null;
    [, this.start] = model.upload(this.start, path, model.newFile(content, { id, expiresAt }));
    return file.id;
  }

  /** Fills a folder with many files like a large one. In the model they are one. */
  async #addCrowd(like: FileId, path: string): Promise<void> {
    const { services, database } = opened;
    await database.write(() => copyRows(database, like, CROWD));
    await services.folders.move(this.caller, this.drive, "many/", { path, driveId: undefined });
    [, this.start] = model.upload(this.start, `${path}#`, model.newFile("large"));
  }

  /** Deletes a file and a folder at paths that others use. */
  async #fillTrash(isCrowded: boolean): Promise<void> {
    const { files, folders } = opened.services;
    const id = await this.#put("e/a", "small", "gone");
    this.trash.file = (await files.remove(this.caller, { id }, UNCONDITIONAL)).trashId ?? "none";
    const first = await this.#put("e/d/x", "large");
    if (isCrowded) await this.#addCrowd(first, "e/d/more/");
    this.trash.folder = (await folders.remove(this.caller, this.drive, "e/d/")).trashId ?? "none";
    await folders.remove(this.caller, this.drive, "e/");
    [, this.start] = model.removeFile(this.start, "gone", "file");
    [, this.start] = model.removeFolder(this.start, "e/d/", "folder");
    [, this.start] = model.removeFolder(this.start, "e/");
  }

  id(name: string): FileId {
    const id = this.#ids.get(name);
    if (id === undefined) throw new Error(`there is no ${name} file`);
    return id;
  }

  uploaded(path: string, content: string, expires = false) {
    const bytes = this.#contents.get(content) ?? "";
    const expiresAt = expires ? this.#expiresAt : undefined;
    const place = { services: opened.services, caller: this.caller, drive: this.drive };
    return storeFile(place, path, bytes, { expiresAt });
  }

  /** The name of the content that a reader gets; null if it may be lost. */
  async download(id: string): Promise<string | null> {
    const { services, clock } = opened;
    const began = clock.now();
    try {
      const file = services.files.get(this.caller, { id: this.id(id) });
      const content = await services.files.content(null, file);
      await held.hold("reading", Promise.resolve());
      return this.#nameOf(await content.bytes());
    } catch (error) {
      if (error instanceof CofferError) throw error;
      // A content that nothing names is kept only for a while, so a reader may come too late.
      return clock.now() - began >= ORPHAN_GRACE_MS ? null : "lost";
    }
  }

  #nameOf(bytes: Uint8Array): string {
    const found = [...this.#contents].find(([, content]) => content.equals(bytes));
    return found?.[0] ?? `${bytes.length} bytes of no content`;
  }

  /** What of a state can be seen. */
  shape({ files, folders }: model.ModelTree) {
    const contents = Object.entries(files).map(([path, { content }]) => [path, content]);
    return { files: Object.fromEntries(contents), folders };
  }

  async finish(): Promise<void> {
    expect(faultsOfTrees(opened.database.sql)).toEqual([]);
    await this.#checkContents();
    await opened.services.drives.remove(this.caller, this.drive);
  }

  /** After the grace periods all contents that are needed are whole, and there are no others. */
  async #checkContents(): Promise<void> {
    const { services, clock, root, database } = opened;
    // What expires has expired.
    clock.advance(LIFETIME * WAIT_MS);
    const before = await this.seen();
    for (let sweeps = 0; sweeps < 2; sweeps += 1) {
      await services.sweep.run();
      clock.advance(ORPHAN_GRACE_MS);
    }
    await services.sweep.run();
    expect(await this.seen()).toEqual(before);
    const rows = database.sql
      .query<{ digest: string }, [number]>("SELECT digest FROM blob WHERE size > ? ORDER BY digest")
      .all(SMALL_CONTENT_BYTES);
    const onDisk = filesIn(root).map(({ digest }) => digest);
    expect(onDisk.toSorted()).toEqual(rows.map(({ digest }) => digest));
  }

  /** What the drive holds now, as far as the model can tell it. Reads every content. */
  async seen() {
    const { services } = opened;
    const whole = { prefix: "", grouped: false, tags: [], page: 1, limit: 100_000, after: null };
    const request = { ...whole, driveId: this.drive, sort: "path" } as const;
    const { files } = services.listings.list(this.caller, request);
    const shown: Record<string, string> = {};
    const crowds = new Map<string, number>();
    for (const { id, path } of files) {
      const crowd = /^(.*\/)\d{7}\.txt$/.exec(path)?.[1];
      if (crowd !== undefined) crowds.set(crowd, (crowds.get(crowd) ?? 0) + 1);
      if (crowd !== undefined && (crowds.get(crowd) ?? 0) > 1) continue;
      const file = services.files.get(this.caller, { id });
      const name = this.#nameOf(await (await services.files.content(null, file)).bytes());
      shown[crowd === undefined ? path : `${crowd}#`] = name;
    }
    for (const count of crowds.values()) expect(count).toBe(CROWD);
    return { files: shown, folders: this.#folders("") };
  }

  #folders(path: string): string[] {
    const request = { driveId: this.drive, path, sort: "path" as const, page: 1, limit: 1000, after: null };
    const { folders } = opened.services.folders.list(this.caller, request);
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

type TreeDeed = Deed<TreeRace, model.ModelTree>;

const path = fc.constantFrom("a", "b", "d/a", "d/b", "d/e/a", "e/a", "d", "d/e");
const folder = fc.constantFrom("d/", "d/e/", "e/", "e/d/", "b/");
const id = fc.constantFrom("first", "second", "third", "fourth");
const content = fc.constantFrom(...Object.keys(SIZES));
const how = fc.constantFrom<("move" | "copy")[]>("move", "copy");
const entry = fc.constantFrom<("file" | "folder")[]>("file", "folder");
const OUTCOMES = { move: "done", copy: "created" };

const anyAct = fc.oneof(
  often(8, "upload", { path, content, expires: fc.boolean() }, (to): TreeDeed => ({
    perform: async (race) =>
      (await race.uploaded(to.path, to.content, to.expires)).created ? "created" : "replaced",
    after: (tree) =>
      model.upload(tree, to.path, model.newFile(to.content, { expiresAt: to.expires ? LIFETIME : null })),
  })),
  often(3, "download", { id }, (of): TreeDeed => ({
    perform: (race) => race.download(of.id),
    after: (tree) => model.download(tree, of.id),
  })),
  often(3, "remove", { id }, (of): TreeDeed => ({
    perform: (race) => opened.services.files.remove(race.caller, { id: race.id(of.id) }, UNCONDITIONAL),
    after: (tree) => model.removeFile(tree, of.id),
  })),
  often(6, "transfer", { how, id, to: path, overwrite: fc.boolean() }, (asked): TreeDeed => ({
    perform: async (race) => {
      const to = {
        path: asked.to,
        driveId: undefined,
        onConflict: asked.overwrite ? "replace" : "fail",
      } as const;
      const { files } = opened.services;
      await files[asked.how](race.caller, { id: race.id(asked.id) }, to, UNCONDITIONAL);
      return OUTCOMES[asked.how];
    },
    after: (tree) => model.transferFile(tree, { ...asked, isCopy: asked.how === "copy" }),
  })),
  often(2, "create folder", { folder }, (of): TreeDeed => ({
    perform: async ({ caller, drive }) =>
      (await opened.services.folders.create(caller, drive, of.folder)).created ? "created" : "there",
    after: (tree) => model.createFolder(tree, of.folder),
  })),
  often(2, "remove folder", { folder }, (of): TreeDeed => ({
    perform: ({ caller, drive }) => opened.services.folders.remove(caller, drive, of.folder),
    after: (tree) => model.removeFolder(tree, of.folder),
  })),
  often(6, "transfer folder", { how, from: folder, to: folder }, (asked): TreeDeed => ({
    perform: async ({ caller, drive }) => {
      const to = { path: asked.to, driveId: undefined };
      await opened.services.folders[asked.how](caller, drive, asked.from, to);
      return OUTCOMES[asked.how];
    },
    after: (tree) => model.transferFolder(tree, { ...asked, isCopy: asked.how === "copy" }),
  })),
  often(6, "restore", { entry }, (of): TreeDeed => ({
    perform: ({ caller, trash }) => opened.services.trash.restore(caller, trash[of.entry], undefined),
    after: (tree) => model.restore(tree, of.entry),
  })),
  often(2, "purge", { entry }, (of): TreeDeed => ({
    perform: ({ caller, trash }) => opened.services.trash.remove(caller, trash[of.entry]),
    after: (tree) => model.purge(tree, of.entry),
  })),
);

const upkeep = fc.oneof(
  often(1, "sweep", {}, (): TreeDeed => ({
    perform: () => opened.services.sweep.run(),
    after: (tree) => ["done", tree],
  })),
  often(1, "wait", {}, (): TreeDeed => ({
    perform: async () => opened.clock.advance(WAIT_MS),
    after: (tree) => ["done", model.pass(tree, tree.now + 1)],
  })),
);

const threads = threadsOf(anyAct, upkeep, 4);

test("changes of one drive at once come out as if one came after another, and every content is whole", () =>
  expectOrders(held, threads, () => TreeRace.begin(false), 0.5));

test("so do changes of a folder that takes several transactions", () =>
  expectOrders(held, threads, () => TreeRace.begin(true), 0.2));
