import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import { useLayoutEffect, useRef } from "preact/hooks";
import { Choice } from "../../components/forms/choice.tsx";
import { Icon } from "../../components/icon.tsx";
import { plain } from "../../lib/contents/overrides.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { addressOf, FILTERS, TYPES } from "../../lib/searches.ts";
import type { Drive } from "../../lib/api/types.ts";
import { optionsOf } from "../../lib/words/options.ts";
import { t } from "../../lib/words/text.ts";

/** The search form. Filters take effect at once, the search terms when it is submitted. */
export function SearchForm({
  query,
  drives,
}: {
  readonly query: URLSearchParams;
  readonly drives: readonly Drive[];
}) {
  const form = useRef<HTMLFormElement>(null);
  useFilledFrom(form, query, drives);
  const ask = () => {
    if (form.current?.reportValidity() === true) navigate(addressOf(new FormData(form.current).entries()));
  };
  const used = FILTERS.filter((name) => query.has(name)).length;
  const filters = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    // Only the person closes them.
    if (used > 0 && filters.current !== null) filters.current.open = true;
  }, [used]);
  return (
    <search>
      <form
        ref={form}
        class="search-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <div class="search-words">
          <label class="search-label">
            <span class="hidden-visually">{t("Search terms")}</span>
            <input
              class="input"
              type="search"
              name="q"
              maxLength={512}
              autocomplete="off"
              placeholder={t("Names, tags and text")}
            />
          </label>
          <button class="button primary">
            <Icon svg={searchIcon} /> {t("verb|Search")}
          </button>
        </div>
        <details class="filters" ref={filters}>
          <summary>{used === 0 ? t("Filters") : t("Filters ({count})", { count: used })}</summary>
          <div class="filter-fields" onChange={ask}>
            <Filters drives={drives} />
          </div>
        </details>
      </form>
    </search>
  );
}

function Filters({ drives }: { readonly drives: readonly Drive[] }) {
  return (
    <>
      <Choice
        label={t("Drive")}
        name="drive"
        options={[
          { value: "", text: t("All drives") },
          ...drives.map(({ id, name }) => ({ value: id, text: plain(name) })),
        ]}
      />
      <Choice label={t("Type")} name="type" options={optionsOf(TYPES)} />
      <label class="field">
        <span>{t("Tags")}</span>
        <input
          class="input"
          type="text"
          name="tags"
          autocomplete="off"
          placeholder={t('draft, "Paris, France"')}
        />
      </label>
      <label class="field">
        <span>{t("Min size (MiB)")}</span>
        <input class="input" type="number" name="min" min="0" step="any" />
      </label>
      <label class="field">
        <span>{t("Max size (MiB)")}</span>
        <input class="input" type="number" name="max" min="0" step="any" />
      </label>
      <label class="field">
        <span>{t("Modified after")}</span>
        <input class="input" type="date" name="after" />
      </label>
      <label class="field">
        <span>{t("Modified before")}</span>
        <input class="input" type="date" name="before" />
      </label>
    </>
  );
}

/**
 * Keeps the fields at what the address says, through back and forward. The fields themselves stay, and
 * with them the focus; the drive can be chosen only once the drives are there, when somebody may be
 * typing in another field already.
 */
function useFilledFrom(
  form: { readonly current: HTMLFormElement | null },
  query: URLSearchParams,
  drives: readonly Drive[],
): void {
  const fill = (isFilled: (name: string) => boolean) => {
    for (const field of form.current?.elements ?? []) {
      const isField = field instanceof HTMLInputElement || field instanceof HTMLSelectElement;
      if (isField && isFilled(field.name)) field.value = query.get(field.name) ?? "";
    }
  };
  useLayoutEffect(() => fill(() => true), [String(query)]);
  useLayoutEffect(() => fill((name) => name === "drive"), [drives.length]);
}
