import type { CofferError, ErrorCode } from "../../domain/errors.ts";
import { type FailedCondition, PreconditionFailed } from "../../domain/files/precondition.ts";
import type { Log } from "../../process/log.ts";
import { shownError } from "../gate/errors.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { namesOf } from "../operation/names.ts";

/** What to do after an error, by its code. */
export type NextSteps = Readonly<Partial<Record<ErrorCode, string>>>;

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
  PAYLOAD_TOO_LARGE: "share_file gives a URL to download it, create_upload_link one to upload it.",
  UNSUPPORTED_MEDIA_TYPE: "share_file gives a URL to download it.",
  EXTRACTION_FAILED: "share_file gives a URL to download it.",
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
  const trace = code === "INTERNAL" ? ` The request id is ${id}.` : "";
  return {
    code,
    text: `${code}: ${ended(inArguments(shown, sent))}${next === undefined ? "" : ` ${next}`}${trace}`,
  };
}

/** The message with the name by which the field at fault was sent. */
function inArguments({ message, field = "" }: CofferError, sent: unknown): string {
  const has = (name: string) => typeof sent === "object" && sent !== null && Object.hasOwn(sent, name);
  const names = has(field) ? [] : [...namesOf(field), ...(OTHER_NAMES[field] ?? [])];
  const name = names.find(has);
  return name === undefined ? message : message.replace(field, name);
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
