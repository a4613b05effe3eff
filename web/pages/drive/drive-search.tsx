import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { navigate } from "../../lib/browser/router.tsx";
import { addressOf } from "../../lib/searches.ts";
import { isSingleKey } from "../../lib/browser/single-keys.ts";
import { t } from "../../lib/words/text.ts";

/** Looks for something in the drive; `/` comes here from anywhere on the page. */
export function DriveSearch({ driveId }: { readonly driveId: string }) {
  const input = useRef<HTMLInputElement>(null);
  /** Where the list was that the key led away from. */
  const before = useRef<number | null>(null);
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== "/" || !isSingleKey(event)) return;
      event.preventDefault();
      before.current = scrollY;
      input.current?.focus();
      input.current?.select();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const search = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const asked = new FormData(event.currentTarget);
    if (asked.get("q") === "") return;
    navigate(addressOf(asked.entries()), { scroll: before.current ?? scrollY });
  };
  return (
    <form class="drive-search" role="search" onSubmit={search}>
      <Icon svg={searchIcon} />
      <input type="hidden" name="drive" value={driveId} />
      <input
        ref={input}
        onBlur={() => {
          before.current = null;
        }}
        class="input"
        type="search"
        name="q"
        placeholder={t("Search this drive")}
        aria-label={t("Search this drive")}
        aria-keyshortcuts="/"
        autocomplete="off"
      />
    </form>
  );
}
