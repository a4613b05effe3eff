import { type CofferError, invalid } from "../../domain/errors.ts";
import { distance, nearest } from "../../domain/nearest.ts";

/** Names that mean the same: whichever of them a request has, the others are understood. */
const SAME: readonly (readonly string[])[] = [
  ["drive_id", "drive"],
  ["destination_drive_id", "destination_drive"],
  ["q", "query"],
  ["content_type", "mime_type"],
];

/** What others call things, and what may be meant: only told, because it may also mean something else. */
const LIKE: Readonly<Record<string, readonly string[]>> = {
  after: ["cursor", "updated_after"],
  base64: ["content"],
  body: ["text", "content"],
  confirm: ["recursive"],
  content: ["text", "base64"],
  data: ["text", "content"],
  dir: ["path", "prefix"],
  directory: ["path", "prefix"],
  expires_at: ["expires_in"],
  expires_in: ["expires_at"],
  file: ["path", "filename"],
  file_path: ["path"],
  folder: ["path", "prefix"],
  force: ["confirm", "overwrite"],
  from: ["path"],
  glob: ["prefix", "pattern"],
  ids: ["file_ids"],
  name: ["filename"],
  new_text: ["new_string"],
  insert_line: ["line"],
  insert_text: ["text"],
  new_path: ["destination_path", "path"],
  next_cursor: ["cursor"],
  offset: ["cursor", "page", "start_line"],
  old_text: ["old_string"],
  order: ["sort"],
  page_size: ["limit"],
  page_token: ["cursor"],
  path: ["prefix"],
  pattern: ["q", "query", "prefix"],
  paths: ["file_ids", "path"],
  per_page: ["limit"],
  prefix: ["path"],
  query: ["pattern"],
  q: ["pattern"],
  recursive: ["confirm", "delimiter"],
  regex: ["pattern"],
  search: ["q", "query"],
  size: ["limit"],
  to: ["destination_path"],
  ttl: ["expires_in", "expires_at"],
};

/** How many characters of an unknown name are shown. */
const SHOWN = 64;

/** As many characters of a name say which is meant, where it is cut. */
const BEGINNING = 4;

/** The one of these names that means the same as an unknown one; null if there is none. */
export function sameName(name: string, known: object): string | null {
  return namesOf(name).find((other) => other !== name && Object.hasOwn(known, other)) ?? null;
}

/** The names that mean the same as one, and that one. */
export function namesOf(name: string): readonly string[] {
  return SAME.find((group) => group.includes(name)) ?? [name];
}

/** The one of these names that may be meant by an unknown one; null if none is near. */
export function meantName(name: string, known: readonly string[]): string | null {
  const like = Object.hasOwn(LIKE, name) ? LIKE[name] : undefined;
  const told = like?.find((other) => known.includes(other));
  if (told !== undefined) return told;
  const spelt = squeezed(name.slice(0, SHOWN));
  const alike =
    known.find((other) => squeezed(other) === spelt) ??
    known.find((other) => spelt.length >= BEGINNING && squeezed(other).startsWith(spelt));
  if (alike !== undefined) return alike;
  const near = nearest(name, known);
  // A known name is always told: only a slip is called one.
  return near !== null && distance(name, near) <= Math.max(1, name.length / 3) ? near : null;
}

/** A name without what spells it in another style: `driveId`, `If-Match`. */
function squeezed(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/** Where a name stands, and how that is called. */
export interface NamePlace {
  readonly noun: "parameter" | "field" | "argument";
  /** What stands before the name, such as `edits[0].`. */
  readonly before: string;
  /** What may stand there. */
  readonly known: readonly string[];
}

/** The error for a name that is not known where it stands. @param advice what to do, if that is known better */
export function unknownName(name: string, place: NamePlace, advice?: string): CofferError {
  const { noun, before, known } = place;
  const here = noun === "argument" ? "an argument of this tool" : `a ${noun} of this request`;
  const told = advice ?? meaning(meantName(name, known));
  const all = known.length === 0 ? "It takes none." : `It takes ${known.join(", ")}.`;
  return invalid(before + shownName(name), `is not ${here}.${told === "" ? "" : ` ${told}`} ${all}`);
}

function meaning(meant: string | null): string {
  return meant === null ? "" : `Did you mean ${meant}?`;
}

/** A name as an error shows it: whatever was sent, it is short and plain. */
function shownName(name: string): string {
  const start = name.slice(0, SHOWN).toWellFormed();
  const plain = start.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
  const whole = name.length > SHOWN ? `${plain}…` : plain;
  return /^[\w.-]+…?$/.test(whole) ? whole : JSON.stringify(whole);
}
