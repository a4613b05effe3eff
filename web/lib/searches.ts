import { tagsOf } from "./words/typed-tags.ts";
import { mark } from "./words/text.ts";

/** The names of the search page's filters, in its form and in its address. */
export const FILTERS = ["drive", "type", "tags", "min", "max", "after", "before"] as const;

/** The choices of the type filter. */
export const TYPES = [
  { value: "", text: mark("Any type") },
  { value: "text/*", text: mark("Text") },
  { value: "image/*", text: mark("Images") },
  { value: "audio/*", text: mark("Audio") },
  { value: "video/*", text: mark("Video") },
  { value: "application/pdf", text: mark("PDF") },
  { value: "application/json", text: mark("JSON") },
  { value: "application/zip", text: mark("ZIP archives") },
];

const PER_PAGE = 25;
const MIB = 1024 * 1024;

/** The address of the search page for the values of its form, without empty ones. */
export function addressOf(values: Iterable<readonly [string, string | File]>): string {
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

/** The API query for an address of the search page; null where it has neither words nor filters. */
export function apiQuery(query: URLSearchParams): URLSearchParams | null {
  const asked = {
    q: query.get("q"),
    mime_type: query.get("type"),
    min_size: bytesOf(query.get("min")),
    max_size: bytesOf(query.get("max")),
    updated_after: startOfDay(query.get("after"), 0),
    // That day is included.
    updated_before: startOfDay(query.get("before"), 1),
  };
  const named = Object.entries(asked).flatMap(([name, value]): [string, string][] =>
    value === null || value === "" ? [] : [[name, value]],
  );
  const tags = tagsOf(query.get("tags") ?? "");
  if (named.length === 0 && tags.length === 0) return null;
  const sent = new URLSearchParams(named);
  // Where `tags` is repeated, each value is one tag, even with a comma. The empty value is no tag, and has a single
  // tag count as repeated.
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

/** When a day starts in the reader's time zone, or the day `later` days after it; null for an invalid date. */
function startOfDay(day: string | null, later: number): string | null {
  if (day === null) return null;
  const start = new Date(`${day}T00:00`);
  if (Number.isNaN(start.getTime())) return null;
  start.setDate(start.getDate() + later);
  return start.toISOString();
}
