import type { Log } from "../../log.ts";
import { errorResponse } from "../gate/errors.ts";
import type { RequestContext } from "../gate/request-context.ts";

/** What to do after an error, by its code, where the error itself cannot know the tools. */
const NEXT: Readonly<Record<string, string>> = {
  PRECONDITION_FAILED: "Read the file again, make your change to what it says now, and pass its new etag.",
  PAYLOAD_TOO_LARGE: "Pass large contents by: create_upload_link and share_file give URLs.",
  UNSUPPORTED_MEDIA_TYPE: "Get a download link with share_file.",
  EXTRACTION_FAILED: "Get a download link with share_file.",
  INTERNAL: "Try once more. If it fails again, tell your human.",
};

/** An error as a model reads it. */
export interface Failure {
  readonly code: string;
  /** What is wrong, and what to do next. */
  readonly text: string;
}

/**
 * Explains anything thrown while a message was handled. What the caller may not see is only in the log.
 *
 * @param own what to do after errors of this tool, by code
 */
export async function failureOf(
  error: unknown,
  { id }: RequestContext,
  log: Log,
  own: Readonly<Record<string, string>> = {},
): Promise<Failure> {
  const { error: shown }: { error: { code: string; message: string } } = JSON.parse(
    await errorResponse(error, id, log).text(),
  );
  const next = own[shown.code] ?? NEXT[shown.code];
  const trace = shown.code === "INTERNAL" ? ` The request id is ${id}.` : "";
  return {
    code: shown.code,
    text: `${shown.code}: ${ended(shown.message)}${next === undefined ? "" : ` ${next}`}${trace}`,
  };
}

function ended(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
