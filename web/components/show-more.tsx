import { t } from "../lib/words/text.ts";

/** The way to the rest of a list. */
export function ShowMore({ onMore }: { readonly onMore: () => void }) {
  return (
    <div>
      <button type="button" class="button" onClick={onMore}>
        {t("Show more")}
      </button>
    </div>
  );
}
