import { invalid } from "../../domain/errors.ts";
import { quotedTag } from "../../domain/files/etag.ts";
import type { RequestContext } from "../gate/request-context.ts";
import type { AnyOperation } from "./spec.ts";

/** The conditions that may be sent as parameters or fields, by the names that MCP's tools give them. */
const CONDITIONS = { if_match: "If-Match", only_create: "If-None-Match" } as const;

/** Which of them an operation takes. */
export function conditionsOf(spec: AnyOperation): (keyof typeof CONDITIONS)[] {
  const { headers = {} } = spec;
  return [
    ...("If-Match" in headers ? (["if_match"] as const) : []),
    // Of reads, `If-None-Match` means something else.
    ...("rawBody" in spec && "If-None-Match" in headers ? (["only_create"] as const) : []),
  ];
}

/**
 * Takes a condition that was sent in place of a header.
 *
 * @throws CofferError VALIDATION_ERROR if it is malformed, or differs from the header
 */
export function takeCondition(
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
