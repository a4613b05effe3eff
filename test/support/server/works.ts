import { copyRows } from "../samples/many-files.ts";
import { type OpenedDrive, openWithAda, storeFile } from "./services-drive.ts";

/** A drive with `first.txt`, and files like it in `many/`, with which a folder work has something to do. */
export interface WorkDrive extends OpenedDrive {
  /** The entry of `many/` in the trash, from where `restore` takes it; empty for the other works. */
  readonly entry: string;
}

/** Each begins a work on the folder `many/`, or on its entry in the trash. What is copied, moved or restored goes to `x/more/`. */
const BEGIN = {
  copy: ({ services, caller, drive }: WorkDrive, within?: () => void) =>
    services.folders.copy(caller, drive, "many/", to, within),
  move: ({ services, caller, drive }: WorkDrive, within?: () => void) =>
    services.folders.move(caller, drive, "many/", to, within),
  remove: ({ services, caller, drive }: WorkDrive, within?: () => void) =>
    services.folders.remove(caller, drive, "many/", within),
  restore: ({ services, caller, entry }: WorkDrive, within?: () => void) =>
    services.trash.restore(caller, entry, "x/more/", within),
  fork: ({ services, caller, drive }: WorkDrive) =>
    services.forks.create(caller, drive, { name: "Fork", snapshot: undefined }),
};

export type WorkKind = keyof typeof BEGIN;

const to = { path: "x/more/", driveId: undefined };

/** Ada's drive, with so many files in `many/`, ready for a work of this kind. */
export async function openForWork(
  kind: WorkKind,
  files: number,
  opening?: Parameters<typeof openWithAda>[0],
): Promise<WorkDrive> {
  const opened = await openWithAda(opening, "night shift");
  const { services, caller, drive, database } = opened;
  const { file } = await storeFile(opened, "first.txt");
  await database.write(() => copyRows(database, file.id, files));
  const entry = kind === "restore" ? (await services.folders.remove(caller, drive, "many/")).trashId : "";
  return { ...opened, entry: entry ?? "" };
}

/** @param within is called in the transaction that decides */
export function beginWork(world: WorkDrive, kind: WorkKind, within?: () => void): Promise<unknown> {
  return BEGIN[kind](world, within);
}

/** How many works are recorded. */
export function recordedWorks({ count }: Pick<OpenedDrive, "count">): number {
  return count("folder_work");
}
