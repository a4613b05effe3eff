import { expect, test } from "bun:test";
import type { Caller } from "../../../src/domain/accounts/caller.ts";
import { PIECE_ROWS } from "../../../src/domain/folders/piece.ts";
import type { DriveId } from "../../../src/domain/id.ts";
import { type OpenedServices, openServicesIn } from "../../support/server/opened-services.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { callerWith, storeFile } from "../../support/server/services-drive.ts";

/** What is below a folder: paths relative to it. Files have their path as content. */
interface Shape {
  readonly name: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

function numbered(count: number, name: (n: string) => string): string[] {
  return Array.from({ length: count }, (_, n) => name(String(n).padStart(5, "0")));
}

/** Many rows of one kind between, before or after a few of the other. @param many more than a piece looks at */
function shapes(many: number): readonly Shape[] {
  return [
    {
      name: "empty folders between two files",
      files: ["a/one", "z/two"],
      folders: numbered(many, (n) => `m/${n}/`),
    },
    { name: "empty folders and no file", files: [], folders: numbered(many, (n) => `${n}/`) },
    {
      name: "files in one folder, and empty folders on both sides",
      files: numbered(many / 10, (n) => `m/${n}`),
      folders: ["a/", "z/"],
    },
    {
      name: "a file in each of 40 folders, one below the other",
      files: numbered(40, (n) => `${"d/".repeat(Number(n) + 1)}f`),
      folders: [],
    },
    { name: "nothing", files: [], folders: [] },
  ];
}

const CASES = [
  { rows: PIECE_ROWS, many: 2200 },
  // Smaller than a file, and than one look at what a snapshot has.
  { rows: 1, many: 600 },
].flatMap(({ rows, many }) => shapes(many).map((shape) => ({ ...shape, rows })));

class World implements AsyncDisposable {
  readonly opened: OpenedServices;
  readonly caller: Caller;
  readonly drive: DriveId;
  readonly #root: AsyncDisposable;

  private constructor(root: AsyncDisposable, opened: OpenedServices, caller: Caller, drive: DriveId) {
    this.#root = root;
    this.opened = opened;
    this.caller = caller;
    this.drive = drive;
  }

  static async open(pieceRows: number): Promise<World> {
    const root = await temporaryDirectory(FAST_DIRECTORY);
    const opened = await openServicesIn(root.path, { pieceRows });
    const { services } = opened;
    await services.users.createFromShell("ada", "ada's password");
    const { secret } = await services.apiKeys.createFor("ada", "", "read-write");
    const caller = callerWith(services, secret);
    const { id } = await services.drives.create(caller, "Drive", "");
    return new World(root, opened, caller, id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.opened.services.folderWorks.stop();
    await this.opened[Symbol.asyncDispose]();
    await this.#root[Symbol.asyncDispose]();
  }

  async make(top: string, { files, folders }: Shape): Promise<void> {
    const { services } = this.opened;
    const create = (path: string) => services.folders.create(this.caller, this.drive, path);
    await Promise.all([top, ...folders.map((path) => top + path)].map(create));
    for (const path of files) {
      await storeFile(services, this.caller, this.drive, top + path, path);
    }
  }

  /** The paths below a folder of a drive, and the contents of files. */
  below(top: string, drive = this.drive): unknown {
    const { sql } = this.opened.database;
    const rows = (text: string) => sql.query<{ path: string }, [string, string]>(text).all(drive, `${top}*`);
    const relative = ({ path, ...rest }: { readonly path: string }) => ({
      ...rest,
      path: path.slice(top.length),
    });
    return {
      folders: rows(
        "SELECT f.path FROM folder f JOIN drive d ON d.pk = f.drive WHERE d.id = ? AND f.path GLOB ? ORDER BY 1",
      ).map(relative),
      files: rows(
        "SELECT f.path, f.blob FROM file f JOIN drive d ON d.pk = f.drive WHERE d.id = ? AND f.path GLOB ? ORDER BY 1",
      ).map(relative),
    };
  }

  count(table: string): number {
    return Number(this.opened.database.sql.query(`SELECT count(*) FROM ${table}`).values()[0]?.[0]);
  }
}

test.each(CASES)(
  "every change of a whole folder ends, with $name, in pieces of $rows rows",
  async ({ rows, ...shape }) => {
    await using world = await World.open(rows);
    const { opened, caller, drive } = world;
    const { folders, trash, snapshots, forks, sweep } = opened.services;
    await world.make("s/", shape);
    const made = world.below("s/");
    const snapshot = await snapshots.create(caller, drive, undefined);

    await folders.copy(caller, drive, "s/", { path: "copy/", driveId: undefined });
    expect(world.below("copy/")).toEqual(made);
    await folders.move(caller, drive, "copy/", { path: "moved/there/", driveId: undefined });
    expect(world.below("moved/there/")).toEqual(made);
    expect(world.below("copy/")).toEqual({ folders: [], files: [] });

    const { trashId } = await folders.remove(caller, drive, "s/");
    expect(world.below("s/")).toEqual({ folders: [], files: [] });
    await trash.restore(caller, trashId ?? "", "back/");
    expect(world.below("back/")).toEqual(made);

    await snapshots.restore(caller, drive, snapshot.id, undefined);
    expect(world.below("s/")).toEqual(made);
    expect(world.below("moved/")).toEqual({ folders: [], files: [] });

    const fork = await forks.create(caller, drive, { name: "Fork", snapshot: undefined });
    expect(world.below("s/", fork.id)).toEqual(made);
    expect(faultsOfTrees(opened.database.sql)).toEqual([]);

    for (const { id } of [fork, { id: drive }]) await opened.services.drives.remove(caller, id);
    await sweep.run();
    expect(
      ["folder", "file", "trash", "held_file", "held_folder", "folder_work"].map((table) =>
        world.count(table),
      ),
    ).toEqual([0, 0, 0, 0, 0, 0]);
  },
);
