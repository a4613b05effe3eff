import type { Mark } from "../lib/news.ts";

/** Beside what others made or changed since one was there. */
export function NewsMark({ mark }: { readonly mark: Mark | undefined }) {
  if (mark === undefined) return null;
  return (
    <span class="news-mark" title={`${mark === "new" ? "New" : "Changed"} since your last visit`}>
      <span class="hidden-visually">{mark} </span>
    </span>
  );
}
