import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, type ErrorCode } from "../../domain/errors.ts";
import { type FailedCondition, PreconditionFailed } from "../../domain/files/precondition.ts";
import type { Log } from "../../process/log.ts";
import { ERROR_STATUS, headersOf, shownError } from "../gate/errors.ts";
import { type RequestContext, unauthorized } from "../gate/request-context.ts";
import { namesOf } from "../operation/names.ts";
import type { Message } from "./admission.ts";
import type { NextSteps } from "./tool.ts";

/** What a model reads of failed conditions, whose own words are about headers. */
const CONDITIONS: Readonly<Record<FailedCondition, string>> = {
  exists: "There is a file at this path. Choose another path, or leave out only_create to replace it.",
  absent: "There is no file at this path. Leave out if_match to create one.",
  changed:
    "The file has changed since you read it: read the file again, make your change to what it says now, and pass its new etag as if_match.",
};

/** What services call otherwise than the tools, which call it one of these, besides names that mean the same. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  prefix: ["path"],
  path: ["paths"],
};

/** By which tools a model does what the error says to do, where it cannot know them. */
const NEXT: NextSteps = {
  PAYLOAD_TOO_LARGE: "share gives a URL to download it, or one to upload it.",
  UNSUPPORTED_MEDIA_TYPE: "share gives a URL to download it.",
  EXTRACTION_FAILED: "share gives a URL to download it.",
};

/**
 * Explains anything thrown while a message was handled. What the caller may not see is only in the log.
 *
 * @param failed the arguments of the tool, unchecked, and what to do `next` after its errors
 */
export function failureOf(
  error: unknown,
  { id }: RequestContext,
  log: Log,
  { sent, next: own = {} }: { readonly sent?: unknown; readonly next?: NextSteps } = {},
): { readonly code: ErrorCode; readonly text: string } {
  const shown = shownError(error, id, log);
  const { code } = shown;
  if (shown instanceof PreconditionFailed) {
    return { code, text: `${code}: Nothing was changed. ${own[code] ?? CONDITIONS[shown.why]}` };
  }
  const next = own[code] ?? NEXT[code];
  const message = inArguments(shown, sent);
  const end = /[.!?]$/.test(message) ? "" : ".";
  const trace = code === "INTERNAL" ? ` The request id is ${id}.` : "";
  return {
    code,
    text: `${code}: ${message}${end}${next === undefined ? "" : ` ${next}`}${whenAgain(shown)}${trace}`,
  };
}

/** When to try again, which is a header for others, unless the message says so. */
function whenAgain(error: CofferError): string {
  const seconds = headersOf(error)["retry-after"];
  return seconds === undefined || error.message.includes(` ${seconds} s`)
    ? ""
    : ` Try again in ${seconds} s.`;
}

/** The message with the name by which the field at fault was sent. */
function inArguments({ message, field = "" }: CofferError, sent: unknown): string {
  const has = (name: string) => typeof sent === "object" && sent !== null && Object.hasOwn(sent, name);
  const names = has(field) ? [] : [...namesOf(field), ...(OTHER_NAMES[field] ?? [])];
  const name = names.find(has);
  return name === undefined ? message : message.replace(field, name);
}

/**
 * The result of a tool call that is refused for now: its model reads that, and tries again later, where a client would
 * only see that a request failed. Throws `error` if that is something else, or there is no call.
 */
export function refusedCall(
  error: unknown,
  { id, method }: Message,
  context: RequestContext,
  log: Log,
): Response {
  const status = error instanceof CofferError ? ERROR_STATUS[error.code] : ERROR_STATUS.INTERNAL;
  const passes = status === ERROR_STATUS.RATE_LIMITED || status >= ERROR_STATUS.INTERNAL;
  if (!passes || method !== "tools/call" || id === undefined) throw error;
  const { text } = failureOf(error, context, log);
  const result = { resultType: "complete", isError: true, content: [{ type: "text", text }] };
  const headers = error instanceof CofferError ? headersOf(error) : {};
  return Response.json({ jsonrpc: "2.0", id, result }, { headers });
}

/** Makes what answers all but tool calls, where an error is one of the protocol. */
export function answering(context: RequestContext, log: Log) {
  /** @param uri of the resource that is asked for */
  return async <T>(ask: (caller: Caller) => T | Promise<T>, uri = ""): Promise<T> => {
    try {
      if (context.caller === null) throw unauthorized(false);
      return await ask(context.caller);
    } catch (error) {
      const { code, text } = failureOf(error, context, log);
      throw protocolError(code, text, uri);
    }
  };
}

function protocolError(code: ErrorCode, text: string, uri: string): Error {
  if (code === "NOT_FOUND") return new ResourceNotFoundError(uri, text);
  const kind = code === "INTERNAL" ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams;
  return new ProtocolError(kind, text);
}
