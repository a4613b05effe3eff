import { formatBytes } from "../words/format.ts";

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
 * An API error message for people: the field's name at its start is replaced by words, and sizes are given in the
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
