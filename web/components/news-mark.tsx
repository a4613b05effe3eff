import type { Mark } from "../lib/news.ts";
import { t } from "../lib/words/text.ts";

/** Beside what others made or changed since one was there. */
export function NewsMark({ mark }: { readonly mark: Mark | undefined }) {
  if (mark === undefined) return null;
  const isNew = mark === "new";
  return (
    <span
      class="news-mark"
      title={isNew ? t("New since your last visit") : t("Changed since your last visit")}
    >
      <span class="hidden-visually">{isNew ? t("new") : t("changed")} </span>
    </span>
  );
}
