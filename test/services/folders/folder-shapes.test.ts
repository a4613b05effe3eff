import { expect, test } from "bun:test";
import { PIECE_ROWS } from "../../../src/domain/folders/piece.ts";
import { faultsOfTrees } from "../../support/faults/recount.ts";
import { type OpenedDrive, openWithAda, storeFile } from "../../support/server/services-drive.ts";
import { isThorough } from "../../support/server/thorough.ts";

/** What is below a folder: paths relative to it. Files have their path as content. */
interface Shape {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

function numbered(count: number, name: (n: string) => string): string[] {
  return Array.from({ length: count }, (_, n) => name(String(n).padStart(5, "0")));
}

/** The shape that an ordinary run tries: quick, with both kinds of rows. */
const QUICK = "files in one folder, and empty folders on both sides";

/** Many rows of one kind between, before or after a few of the other. @param many more than a piece looks at */
const shapes = (many: number): Readonly<Record<string, Shape>> => ({
  "empty folders between two files": {
    files: ["a/one", "z/two"],
    folders: numbered(many, (n) => `m/${n}/`),
  },
  "empty folders and no file": { files: [], folders: numbered(many, (n) => `${n}/`) },
  [QUICK]: {
    files: numbered(many / 10, (n) => `m/${n}`),
    folders: ["a/", "z/"],
  },
  "a file in each of 40 folders, one below the other": {
    files: numbered(40, (n) => `${"d/".repeat(Number(n) + 1)}f`),
    folders: [],
  },
  nothing: { files: [], folders: [] },
});

const CASES = [
  { rows: PIECE_ROWS, many: 2200 },
  // Smaller than a file, and than one look at what a snapshot has.
  { rows: 1, many: 600 },
].flatMap(({ rows, many }) =>
  Object.entries(shapes(many))
    .filter(([name]) => isThorough() || name === QUICK)
    .map(([name, shape]) => ({ name, rows, ...shape })),
);

/** The paths below a folder of a drive, and the contents of files. */
function below({ database }: OpenedDrive, drive: string, top: string): unknown {
  const rows = (what: string, table: string) =>
    database.sql
      .query<{ path: string }, [number, string, string]>(
        `SELECT substr(f.path, ?) AS path${what} FROM ${table} f JOIN drive d ON d.pk = f.drive
          WHERE d.id = ? AND f.path GLOB ? ORDER BY 1`,
      )
      .all(top.length + 1, drive, `${top}*`);
  return { folders: rows("", "folder"), files: rows(", f.blob", "file") };
}

test.each(CASES)(
  "every change of a whole folder ends, with $name, in pieces of $rows rows",
  async ({ rows, ...shape }) => {
    await using world = await openWithAda({ pieceRows: rows });
    const { services, caller, drive } = world;
    const { folders, trash, snapshots, forks, sweep } = services;
    const shown = (top: string, of: string = drive) => below(world, of, top);
    const NOTHING = { folders: [], files: [] };
    for (const path of ["", ...shape.folders]) await folders.create(caller, drive, `s/${path}`);
    for (const path of shape.files) await storeFile(world, `s/${path}`, path);
    const made = shown("s/");
    const snapshot = await snapshots.create(caller, drive, undefined);

    await folders.copy(caller, drive, "s/", { path: "copy/", driveId: undefined });
    expect(shown("copy/")).toEqual(made);
    await folders.move(caller, drive, "copy/", { path: "moved/there/", driveId: undefined });
    expect([shown("moved/there/"), shown("copy/")]).toEqual([made, NOTHING]);

    const { trashId } = await folders.remove(caller, drive, "s/");
    expect(shown("s/")).toEqual(NOTHING);
    await trash.restore(caller, trashId ?? "", "back/");
    expect(shown("back/")).toEqual(made);

    await snapshots.restore(caller, drive, snapshot.id, undefined);
    expect([shown("s/"), shown("moved/")]).toEqual([made, NOTHING]);

    const fork = await forks.create(caller, drive, { name: "Fork", snapshot: undefined });
    expect([shown("s/", fork.id), faultsOfTrees(world.database.sql)]).toEqual([made, []]);

    for (const { id } of [fork, { id: drive }]) await services.drives.remove(caller, id);
    await sweep.run();
    expect(["folder", "file", "trash", "held_file", "held_folder", "folder_work"].map(world.count)).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  },
);
