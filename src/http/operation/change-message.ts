import { parseMessage } from "../../domain/changes/change.ts";
import { invalid } from "../../domain/errors.ts";
import { MESSAGE_CHARACTERS } from "../../domain/limits.ts";
import type { RequestContext } from "../gate/request-context.ts";

export const MESSAGE_HEADER = "Change-Message";

/** The header of writes that may say why they are made. */
export const CHANGE_MESSAGE = {
  [MESSAGE_HEADER]: `Why the change is made, in 1 to ${MESSAGE_CHARACTERS} characters of UTF-8: the feed and the list of versions show it. \`message\` in the JSON body or in the query means the same.`,
};

/** Takes what a request says of its changes in its header. Throws VALIDATION_ERROR. */
export function takeMessageHeader({ headers }: Request, context: RequestContext): void {
  const sent = headers.get(MESSAGE_HEADER);
  if (sent === null) return;
  // The runtime gives a character for each byte.
  const text = Buffer.from(sent, "latin1").toString("utf8");
  context.message = parseMessage(MESSAGE_HEADER, text);
}

/** The same in a parameter or field; null is left out. */
export function takeMessage(value: unknown, context: RequestContext): void {
  if (value === null) return;
  if (typeof value !== "string") throw invalid("message", "must be a string");
  const message = parseMessage("message", value);
  if ((context.message ?? message) !== message) throw invalid("message", "must be given only once");
  context.message = message;
}
