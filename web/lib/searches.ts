import { tagsOf } from "./typed-tags.ts";

/** The filters of the search page, by their names in its form and its address. */
export const FILTERS = ["drive", "type", "tags", "min", "max", "after", "before"] as const;

/** The kinds of files that the page offers as a filter. */
export const TYPES = [
  { value: "", text: "Any type" },
  { value: "text/*", text: "Text" },
  { value: "image/*", text: "Images" },
  { value: "audio/*", text: "Audio" },
  { value: "video/*", text: "Video" },
  { value: "application/pdf", text: "PDF" },
  { value: "application/json", text: "JSON" },
  { value: "application/zip", text: "ZIP archives" },
];

const PER_PAGE = 25;
const MIB = 1024 * 1024;

/** The address of the search page that asks what the form says; empty fields stay out of it. */
export function addressOf(values: Iterable<readonly [string, FormDataEntryValue]>): string {
  const query = new URLSearchParams();
  for (const [name, value] of values) {
    if (typeof value === "string" && value.trim() !== "") query.set(name, value.trim());
  }
  return query.size === 0 ? "/search" : `/search?${query}`;
}

/** The address of another page of the same search. */
export function pageAddress(query: URLSearchParams, page: number): string {
  const other = new URLSearchParams(query);
  other.set("page", String(page));
  return `/search?${other}`;
}

/** The API's query for what an address asks; null where it asks nothing that can be looked for. */
export function apiQuery(query: URLSearchParams): URLSearchParams | null {
  const asked = {
    q: query.get("q"),
    mime_type: query.get("type"),
    min_size: bytesOf(query.get("min")),
    max_size: bytesOf(query.get("max")),
    updated_after: startOfDay(query.get("after"), 0),
    // The day itself is within.
    updated_before: startOfDay(query.get("before"), 1),
  };
  const named = Object.entries(asked).flatMap(([name, value]) =>
    value === null || value === "" ? [] : [[name, value]],
  );
  const tags = tagsOf(query.get("tags") ?? "");
  if (named.length === 0 && tags.length === 0) return null;
  const sent = new URLSearchParams(named);
  // Given more than once, each is one tag, also one with a comma; an empty one is none.
  if (tags.length > 0) for (const tag of [...tags, ""]) sent.append("tags", tag);
  const drive = query.get("drive");
  if (drive !== null) sent.set("drive_id", drive);
  sent.set("page", query.get("page") ?? "1");
  sent.set("limit", String(PER_PAGE));
  return sent;
}

function bytesOf(mebibytes: string | null): string | null {
  const bytes = Math.round(Number(mebibytes) * MIB);
  return mebibytes !== null && Number.isSafeInteger(bytes) ? String(bytes) : null;
}

/** The start of a day of the reader's, or of one some days later; null for what is no date. */
function startOfDay(day: string | null, later: number): string | null {
  if (day === null) return null;
  const start = new Date(`${day}T00:00`);
  if (Number.isNaN(start.getTime())) return null;
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
