import type { Account, Drive, FoundFile } from "../api/types.ts";
import { nameOf, parentOf } from "../files.ts";
import { fileAddress, folderAddress, parseDrivePlace } from "../files/place.ts";
import { addressOf } from "../searches.ts";
import { t } from "../words/text.ts";

/** Something to go to. */
export interface LinkChoice {
  readonly kind: "page" | "drive" | "folder" | "file";
  readonly name: string;
  /** Where it is; empty where its name says enough. */
  readonly where: string;
  readonly to: string;
}

/** Something to do. */
export interface ActionChoice {
  readonly kind: "action";
  readonly name: string;
  readonly svg: string;
  readonly onChoose: () => void;
}

/** What can be chosen. */
export type Choice = LinkChoice | ActionChoice;

/** What is chosen from, under a heading. */
export interface ChoiceGroup {
  readonly title: string;
  readonly choices: readonly Choice[];
}

/** No two choices have the same. */
export function keyOf(choice: LinkChoice | Pick<ActionChoice, "kind" | "name">): string {
  return choice.kind === "action" ? `action ${choice.name}` : choice.to;
}

/** As many of a group are shown once something was typed. */
const MOST = 6;
/** Of the folders of what was found. */
const MOST_FOLDERS = 3;

/** Those that have words that begin like each that was typed; first those whose names begin so. */
export function fitting<T extends Choice>(typed: string, choices: readonly T[]): readonly T[] {
  const words = wordsOf(typed);
  if (words.length === 0) return [];
  const fit = choices.filter((choice) => {
    const own = wordsOf(textOf(choice));
    return words.every((word) => own.some((one) => one.startsWith(word)));
  });
  const begins = ({ name }: T) => folded(name).startsWith(words[0] ?? "");
  return [...fit.filter(begins), ...fit.filter((choice) => !begins(choice))].slice(0, MOST);
}

/** What is typed to have it; of what is in a drive, not the drive, which has much. */
function textOf(choice: Choice): string {
  return choice.kind === "page" || choice.kind === "drive" ? `${choice.name} ${choice.where}` : choice.name;
}

/** The words of a text, without case and accents. */
export function wordsOf(text: string): readonly string[] {
  return folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

function folded(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLocaleLowerCase();
}

/** The drive that a page is about; undefined where it is about none of these. */
export function driveAt<D extends Pick<Drive, "id" | "slug">>(
  path: string,
  query: URLSearchParams,
  drives: readonly D[],
): D | undefined {
  const named = parseDrivePlace(path)?.drive ?? query.get("drive");
  return drives.find(({ id, slug }) => id === named || (slug !== null && slug === named));
}

/** A drive, to be gone to. */
export function driveChoice({ id, slug, name }: Drive): LinkChoice {
  return { kind: "drive", name, where: slug ?? "", to: folderAddress(slug ?? id, "") };
}

/** The folders of found files that have what was typed in their names, then the files. */
export function foundChoices(
  typed: string,
  files: readonly Pick<FoundFile, "id" | "drive_id" | "path">[],
  drives: readonly Pick<Drive, "id" | "name" | "slug">[],
): readonly LinkChoice[] {
  const words = wordsOf(typed);
  const folders = new Map<string, LinkChoice>();
  const found = files.map((file): LinkChoice => {
    const drive = drives.find(({ id }) => id === file.drive_id);
    const place = drive?.slug ?? file.drive_id;
    const whereOf = (folder: string) =>
      [drive?.name ?? "", ...folder.split("/")].filter((part) => part !== "").join(" / ");
    for (let folder = parentOf(file.path); folder !== ""; folder = parentOf(folder)) {
      if (!words.some((word) => folded(nameOf(folder)).includes(word))) continue;
      const to = folderAddress(place, folder);
      folders.set(to, { kind: "folder", name: nameOf(folder), where: whereOf(parentOf(folder)), to });
    }
    const folder = parentOf(file.path);
    const to = fileAddress(place, folder, file.id);
    return { kind: "file", name: nameOf(file.path), where: whereOf(folder), to };
  });
  return [...[...folders.values()].slice(0, MOST_FOLDERS), ...found];
}

/** The way to a whole search for what was typed, in the drive that one is in and in all. */
export function searchChoices(typed: string, drive: Pick<Drive, "id"> | undefined): readonly LinkChoice[] {
  const of = (name: string, more: readonly (readonly [string, string])[]): LinkChoice => ({
    kind: "page",
    name,
    where: "",
    to: addressOf([["q", typed], ...more]),
  });
  const all = of(t("Search all drives for “{words}”", { words: typed }), []);
  if (drive === undefined) return [all];
  return [of(t("Search this drive for “{words}”", { words: typed }), [["drive", drive.id]]), all];
}

/** Pages that belong to no drive and that the bar at the top does not lead to. */
export function morePages({ admin }: Pick<Account, "admin">): readonly LinkChoice[] {
  const auditLog: LinkChoice = { kind: "page", name: t("Audit log"), where: t("Server"), to: "/audit" };
  return [
    { kind: "page", name: t("Account"), where: "", to: "/account" },
    { kind: "page", name: t("Links"), where: t("of all drives"), to: "/links" },
    { kind: "page", name: t("Trash"), where: t("of all drives"), to: "/trash" },
    ...(admin ? [auditLog] : []),
  ];
}
