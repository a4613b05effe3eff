import type { ErrorCode } from "../../../src/domain/errors.ts";
import { formatBytes, sentenceSpace } from "../words/format.ts";
import { mark, type PlainMessage, shownLanguage, t } from "../words/text.ts";

/** What is said of a refusal in another language than English, in which the server says more. */
const SAID: Readonly<Record<string, PlainMessage | undefined>> = {
  VALIDATION_ERROR: mark("Something that was entered can't be used. Change it and try again."),
  UNAUTHORIZED: mark("The sign-in, password or link doesn't work. Check it, or sign in again."),
  FORBIDDEN: mark("You may not do this. Ask whoever may."),
  QUOTA_EXCEEDED: mark("There is no room left. Delete something for good, or ask an administrator for more."),
  NOT_FOUND: mark("It isn't there, or you may not see it. It may have been deleted or moved."),
  METHOD_NOT_ALLOWED: mark("The server doesn't know this request. Reload the page."),
  REQUEST_TIMEOUT: mark("The request took too long to arrive. Try again."),
  CONFLICT: mark("Something else is in the way. Look again, then choose another name or try again."),
  IDEMPOTENCY_IN_PROGRESS: mark("This is being done already. Wait a moment, then look again."),
  GONE: mark("It has expired or is gone for good. Ask for a new one."),
  PRECONDITION_FAILED: mark("It was changed meanwhile. Look at what it is now, then try again."),
  PAYLOAD_TOO_LARGE: mark("It is too large for this server. Send less at once."),
  UNSUPPORTED_MEDIA_TYPE: mark("The server can't do this with a file of this type."),
  RANGE_NOT_SATISFIABLE: mark("The file is shorter by now. Reload the page."),
  IDEMPOTENCY_KEY_REUSED: mark(
    "This was sent before with something else in it. Reload the page and try again.",
  ),
  EXTRACTION_FAILED: mark("The text in this file can't be read. Download the file instead."),
  RATE_LIMITED: mark("That was too much at once. Wait a moment, then try again."),
  HEADERS_TOO_LARGE: mark("The request is too long. Send less at once."),
  INTERNAL: mark("Something went wrong on the server. Try again, and if it stays so, tell whoever runs it."),
  UNAVAILABLE: mark("The server can't answer right now. Try again in a moment."),
  STORAGE_FULL: mark("The disk of the server is full. Tell whoever runs it."),
} satisfies Readonly<Record<ErrorCode, string>>;

/** Where that says too little, the server's words follow it. */
const TOO_LITTLE: ReadonlySet<string> = new Set(["VALIDATION_ERROR", "FORBIDDEN", "CONFLICT"]);

/** A refusal as the API tells it. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** What a refusal says to people, in the language that is shown. */
export function refusalInWords({ code, message, field }: Refusal): string {
  const ofServer = readableMessage(message, field);
  const said = SAID[code];
  if (said === undefined || shownLanguage() === "en") return ofServer;
  return TOO_LITTLE.has(code) ? `${t(said)}${sentenceSpace()}${ofServer}` : t(said);
}

/** Words for the API fields that the dashboard sends. */
const NAMES: Readonly<Record<string, string>> = {
  current: "The current password",
  destination_drive_id: "The drive",
  destination_path: "The new path",
  drive_id: "The drive",
  expires_at: "The expiry date",
  expires_in: "The expiry time",
  max_size: "The max size",
  mime_type: "The type",
  min_size: "The min size",
  q: "The search",
  tags: "The tags",
  updated_after: "The first date",
  updated_before: "The last date",
};

/**
 * An API error message for people who read English: the field's name at its start is replaced by words, and sizes are given in the
 * dashboard's units. `tags[1] must have 1 to 64 characters` becomes `Tag 2 must have 1 to 64 characters.`
 *
 * @param field the field at fault, as the API names it
 */
export function readableMessage(message: string, field: string | undefined): string {
  // Text in quotation marks is a name, and stays as it is.
  const sized = message.replaceAll(/"[^"]*"|\b(\d{4,}) bytes\b/g, (found, bytes?: string) =>
    bytes === undefined ? found : formatBytes(Number(bytes)),
  );
  if (field === undefined || !sized.startsWith(`${field} `)) return sized;
  return `${nameInWords(field)}${sized.slice(field.length)}.`;
}

function nameInWords(field: string): string {
  const tag = /^tags\[(\d+)\]$/.exec(field)?.[1];
  if (tag !== undefined) return `Tag ${Number(tag) + 1}`;
  const name = field.replace(/[.[].*$/s, "");
  return NAMES[name] ?? `The ${name.replaceAll("_", " ")}`;
}
