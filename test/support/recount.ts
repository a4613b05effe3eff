import type { Database as Sqlite } from "bun:sqlite";

interface FolderRow {
  readonly pk: number;
  readonly drive: number;
  readonly parent: number | null;
  readonly path: string;
  readonly files: number;
  readonly bytes: number;
  readonly ownFiles: number;
  readonly ownFolders: number;
}

interface FileRow {
  readonly drive: number;
  readonly folder: number;
  readonly path: string;
  readonly size: number;
}

/** The errors in the trees of all drives: wrong counts, and entries in another folder than their path says. */
export function faultsOfTrees(sql: Sqlite): string[] {
  const folders = sql
    .query<FolderRow, []>(
      `SELECT pk, drive, parent, path, file_count AS files, total_size AS bytes, own_file_count AS ownFiles,
              own_folder_count AS ownFolders FROM folder`,
    )
    .all();
  const files = sql.query<FileRow, []>("SELECT drive, folder, path, size FROM file").all();
  const found = new Map(folders.map(({ pk }) => [pk, { files: 0, bytes: 0, ownFiles: 0, ownFolders: 0 }]));
  const known = new Map(folders.map((folder) => [`${folder.drive}:${folder.path}`, folder]));
  const faults: string[] = [];
  const above = (drive: number, path: string) =>
    known.get(`${drive}:${path.slice(0, path.lastIndexOf("/", path.length - 2) + 1)}`);
  for (const { drive, folder, path, size } of files) {
    const home = above(drive, path);
    if (home?.pk !== folder) faults.push(`the file ${path} is in folder ${folder}`);
    const own = found.get(folder);
    if (own !== undefined) own.ownFiles += 1;
    for (let at = home; at !== undefined; at = at.path === "" ? undefined : above(drive, at.path)) {
      const counts = found.get(at.pk);
      if (counts !== undefined) [counts.files, counts.bytes] = [counts.files + 1, counts.bytes + size];
    }
  }
  for (const { drive, path, parent } of folders.filter((folder) => folder.path !== "")) {
    const home = above(drive, path);
    if (home === undefined || home.pk !== parent) faults.push(`the folder ${path} is in folder ${parent}`);
    const counts = home && found.get(home.pk);
    if (counts) counts.ownFolders += 1;
  }
  for (const { pk, path, files: count, bytes, ownFiles, ownFolders } of folders) {
    const [says, is] = [
      JSON.stringify({ files: count, bytes, ownFiles, ownFolders }),
      JSON.stringify(found.get(pk)),
    ];
    if (says !== is) faults.push(`the folder ${path} says ${says}, and has ${is}`);
  }
  return faults;
}
