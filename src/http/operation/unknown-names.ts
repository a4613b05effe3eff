import { invalid } from "../../domain/errors.ts";
import { quotedTag } from "../../domain/files/precondition.ts";
import type { RequestContext } from "../gate/request-context.ts";
import type { TakeUnknown } from "./known-fields.ts";
import { meantName, type NamePlace, unknownName } from "./names.ts";
import type { AnyOperation } from "./spec.ts";

/** Of one request; more are refused, however lenient it is to be: the time must be bounded, whatever is sent. */
const MOST_PASSED_OVER = 64;

/** The conditions that may be sent as parameters or fields, by the names that MCP's tools give them. */
const CONDITIONS = { if_match: "If-Match", only_create: "If-None-Match" } as const;

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

function fieldsOf(spec: AnyOperation): readonly string[] {
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
  ];
}

/**
 * Takes a condition that was sent in place of a header. Throws CofferError VALIDATION_ERROR if it is malformed, or
 * differs from the header.
 */
function takeCondition(
  name: keyof typeof CONDITIONS,
  value: unknown,
  request: Request,
  { sentConditions }: RequestContext,
): void {
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
