import type { CofferError, ErrorCode } from "../../domain/errors.ts";
import type { Log } from "../../log.ts";
import { shownError } from "../gate/errors.ts";
import type { RequestContext } from "../gate/request-context.ts";

/** What to do after an error, by its code. */
export type NextSteps = Readonly<Partial<Record<ErrorCode, string>>>;

/** What a model reads of errors whose own words are about headers. */
const INSTEAD: NextSteps = { PRECONDITION_FAILED: "Nothing was changed." };

/** What the API calls otherwise than the tools. */
const ARGUMENTS: Readonly<Record<string, string>> = { q: "query", content_type: "mime_type" };

/** Where the error itself cannot know the tools. */
const NEXT: NextSteps = {
  PRECONDITION_FAILED:
    "The file has changed since you read it, or is gone: read the file again, make your change to what it says now, and pass its new etag as if_match.",
  PAYLOAD_TOO_LARGE: "create_upload_link and share_file give URLs for large contents.",
  UNSUPPORTED_MEDIA_TYPE: "Get a download link with share_file.",
  EXTRACTION_FAILED: "Get a download link with share_file.",
  INTERNAL: "Try once more. If it fails again, tell your human.",
};

/** An error as a model reads it. */
export interface Failure {
  readonly code: ErrorCode;
  /** What is wrong, and what to do next. */
  readonly text: string;
}

/**
 * Explains anything thrown while a message was handled. What the caller may not see is only in the log.
 *
 * @param own what to do after errors of this tool, by code
 */
export function failureOf(error: unknown, { id }: RequestContext, log: Log, own: NextSteps = {}): Failure {
  const shown = shownError(error, id, log);
  const { code } = shown;
  const said = INSTEAD[code] ?? ended(inArguments(shown));
  const next = own[code] ?? NEXT[code];
  const trace = code === "INTERNAL" ? ` The request id is ${id}.` : "";
  return { code, text: `${code}: ${said}${next === undefined ? "" : ` ${next}`}${trace}` };
}

function inArguments({ message, field = "" }: CofferError): string {
  const name = ARGUMENTS[field];
  return name === undefined ? message : message.replace(field, name);
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
