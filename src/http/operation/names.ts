import { type CofferError, invalid } from "../../domain/errors.ts";
import { distance, nearest } from "../../domain/nearest.ts";
import { quotedTag } from "../../domain/files/precondition.ts";
import { MESSAGE_HEADER, takeMessage } from "./change-message.ts";
import type { RequestContext } from "../gate/request-context.ts";
import type { AnyOperation } from "./spec.ts";

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
  force: ["confirm", "overwrite", "on_conflict"],
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
  overwrite: ["on_conflict"],
  page_size: ["limit"],
  page_token: ["cursor"],
  path: ["prefix"],
  pattern: ["glob", "q", "query", "prefix"],
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
function meantName(name: string, known: readonly string[]): string | null {
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

/** Takes a name that is not known where it stands, and its value. Throws VALIDATION_ERROR if it is refused. */
export type TakeUnknown = (name: string, value: unknown, place: NamePlace) => void;

/** The error for a name that is not known where it stands. @param advice what to do, if that is known better */
export function unknownName(name: string, place: NamePlace, advice?: string): CofferError {
  const { noun, before, known } = place;
  const here = noun === "argument" ? "an argument of this tool" : `a ${noun} of this request`;
  const meant = meantName(name, known);
  const told = advice ?? (meant === null ? "" : `Did you mean ${meant}?`);
  const all = known.length === 0 ? "It takes none." : `It takes ${known.join(", ")}.`;
  return invalid(before + shownName(name), `is not ${here}.${told === "" ? "" : ` ${told}`} ${all}`);
}

/** A name as an error shows it: whatever was sent, it is short and plain. */
function shownName(name: string): string {
  const start = name.slice(0, SHOWN).toWellFormed();
  const plain = start.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
  const whole = name.length > SHOWN ? `${plain}…` : plain;
  return /^[\w.-]+…?$/.test(whole) ? whole : JSON.stringify(whole);
}

/** Of one request; more are refused, however lenient it is to be: the time must be bounded, whatever is sent. */
const MOST_PASSED_OVER = 64;

/** The headers that may be sent as parameters or fields, by the names that MCP's tools give them. */
const CONDITIONS = { if_match: "If-Match", only_create: "If-None-Match", message: MESSAGE_HEADER } as const;

/**
 * What becomes of names that an operation's schemas do not have. Under `/v0` they are refused, unless the request
 * prefers lenience or they stand for headers; elsewhere they are passed over, as OAuth asks (RFC 6749, section 3.1).
 */
export function unknownNamesOf(
  path: string,
  spec: AnyOperation,
): (request: Request, context: RequestContext) => TakeUnknown {
  const isStrict = isStrictPath(path);
  const elsewhere = { parameter: fieldsOf(spec), field: Object.keys(spec.query?.properties ?? {}) };
  const headers = Object.keys(spec.headers ?? {});
  const conditions = conditionsOf(spec);
  return (request, context) => {
    let passedOver = 0;
    const isPassedOver = (name: string, { known }: NamePlace) =>
      passedOver++ < MOST_PASSED_OVER &&
      ((spec.opened === true && meantName(name, known) === null) || context.passesOver());
    return (name, value, place) => {
      if (name === "snapshot_id" && place.noun === "parameter") throw snapshotRefused(context);
      if (!isStrict || place.noun === "argument") return;
      const isTop = place.before === "";
      const condition = isTop ? conditions.find((each) => each === name) : undefined;
      if (condition !== undefined) {
        takeCondition(condition, value, request, context);
        return;
      }
      if (isPassedOver(name, place)) return;
      const advice = isTop
        ? otherPlace(name, headers, elsewhere[place.noun], place.noun)
        : placeAbove(name, place.before, conditions);
      const known = isTop ? [...place.known, ...conditions] : place.known;
      throw unknownName(name, { ...place, known }, advice);
    };
  };
}

/** Whether the requests of a route may have no unknown names. */
export function isStrictPath(path: string): boolean {
  return path === "/v0" || path.startsWith("/v0/");
}

/** Where a name belongs that is sent in the wrong place. */
function otherPlace(
  name: string,
  headers: readonly string[],
  elsewhere: readonly string[],
  noun: "parameter" | "field",
): string | undefined {
  if (elsewhere.includes(name)) return noun === "field" ? "Send it in the query." : "Send it in the body.";
  const header = headers.find((each) => each.toLowerCase() === name.toLowerCase().replaceAll("_", "-"));
  return header && `Send it as the header ${header}.`;
}

/** Where a condition belongs that is sent within a field. @param before such as `edits[0].` */
function placeAbove(name: string, before: string, conditions: readonly string[]): string | undefined {
  if (!conditions.includes(name)) return undefined;
  return `It is for the whole request: send it beside ${/^\w*/.exec(before)?.[0] ?? "the others"}.`;
}

/** The names of the fields of a JSON body. */
export function fieldsOf(spec: AnyOperation): readonly string[] {
  const body = "rawBody" in spec ? spec.rawBody.content["application/json"] : spec.body;
  return Object.keys(body?.["properties"] ?? {});
}

/** Whoever reads in a snapshot may mean it here, too: then what is now would be shown, or changed. */
function snapshotRefused({ method }: RequestContext) {
  const isRead = method === "GET" || method === "HEAD";
  return invalid(
    "snapshot_id",
    isRead
      ? "is not taken here: this knows only what the drive holds now. List and read files with it instead"
      : "is for reading: a snapshot cannot be written",
  );
}

/** Which of them an operation takes. */
function conditionsOf(spec: AnyOperation): (keyof typeof CONDITIONS)[] {
  const { headers = {} } = spec;
  return [
    ...("If-Match" in headers ? (["if_match"] as const) : []),
    // Of reads, `If-None-Match` means something else.
    ...("rawBody" in spec && "If-None-Match" in headers ? (["only_create"] as const) : []),
    ...(MESSAGE_HEADER in headers ? (["message"] as const) : []),
  ];
}

/** Takes a condition sent in place of a header. Throws VALIDATION_ERROR if it is malformed, or differs from that. */
function takeCondition(
  name: keyof typeof CONDITIONS,
  value: unknown,
  request: Request,
  context: RequestContext,
): void {
  const { sentConditions } = context;
  if (name === "message") return takeMessage(value, context);
  if (name === "only_create") {
    if (isTrue(name, value)) sentConditions.ifNoneMatch = agreed(request, CONDITIONS.only_create, name, "*");
    return;
  }
  if (value === null) return;
  if (typeof value !== "string") throw invalid(name, "must be a string: the file's ETag");
  const tag = agreed(request, CONDITIONS.if_match, name, quotedTag(value));
  if ((sentConditions.ifMatch ?? tag) !== tag) throw invalid(name, "must be given only once");
  sentConditions.ifMatch = tag;
}

function agreed(request: Request, header: string, name: string, value: string): string {
  const sent = request.headers.get(header);
  if (sent !== null && quotedTag(sent.trim()) !== value)
    throw invalid(name, `differs from the header ${header}: send only one of them`);
  return value;
}

/** The value of a flag, from JSON or a query. */
function isTrue(name: string, value: unknown): boolean {
  if (value === true || value === "true" || value === "1") return true;
  if (value === false || value === null || value === "false" || value === "0") return false;
  throw invalid(name, "must be true or false");
}
