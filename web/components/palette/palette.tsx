import { useId, useLayoutEffect, useState } from "preact/hooks";
import { inBrowser } from "../../lib/browser/base-path.ts";
import { navigate, usePlace } from "../../lib/browser/router.tsx";
import { useStyle } from "../../lib/browser/style.ts";
import { useModal } from "../../lib/browser/modal.ts";
import { useSession } from "../../lib/api/session.tsx";
import { type Choice, keyOf } from "../../lib/palette/choices.ts";
import { rememberChoice } from "../../lib/palette/recent.ts";
import { plural, t } from "../../lib/words/text.ts";
import type { PageAction } from "../actions.ts";
import { Failure } from "../failure.tsx";
import { Option } from "./option.tsx";
import style from "./palette.css" with { type: "text" };
import { useChoices } from "./use-choices.ts";

interface PaletteProps {
  /** What the page offers to be done. */
  readonly actions: readonly PageAction[];
  readonly onShortcuts: () => void;
  /** Closes it. `then` is to be called once it is closed. */
  readonly onClose: (then?: () => void) => void;
}

/** Goes to, or does, what is chosen by typing: an editable combobox with a listbox, as the ARIA practices have it. */
export function Palette({ actions, onShortcuts, onClose }: PaletteProps) {
  useStyle(style);
  const { account } = useSession();
  const { path, query } = usePlace();
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const dialog = useModal(onClose);
  const id = useId();
  const { groups, isAsking, failed } = useChoices({ typed, actions, onShortcuts, path, query });
  const all = groups.flatMap(({ choices }) => choices);
  const at = Math.min(active, all.length - 1);
  const idOf = (index: number) => `${id}-${index}`;
  useLayoutEffect(() => {
    document.getElementById(idOf(at))?.scrollIntoView({ block: "nearest" });
  }, [at, typed]);

  const choose = (choice: Choice, isElsewhere: boolean) => {
    rememberChoice(account.id, choice);
    if (choice.kind === "action") onClose(choice.onChoose);
    else if (!isElsewhere) onClose(() => navigate(choice.to));
    else {
      open(inBrowser(choice.to), "_blank", "noopener");
      onClose();
    }
  };
  const press = (event: KeyboardEvent) => {
    // Keys with which letters are put together are no choice yet.
    if (event.isComposing || all.length === 0) return;
    const chosen = all[at];
    if (event.key === "ArrowDown") setActive((at + 1) % all.length);
    else if (event.key === "ArrowUp") setActive((at + all.length - 1) % all.length);
    else if (event.key === "Enter" && chosen !== undefined) choose(chosen, event.ctrlKey || event.metaKey);
    else return;
    event.preventDefault();
  };
  const closeOutside = (event: MouseEvent) => {
    // The backdrop counts as the dialog itself.
    if (event.target === dialog.current) onClose();
  };
  let index = 0;
  return (
    <dialog ref={dialog} class="dialog palette" aria-label={t("Search or jump to")} onClick={closeOutside}>
      <input
        class="input"
        role="combobox"
        aria-label={t("Search or jump to")}
        aria-expanded={all.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={all.length > 0 ? idOf(at) : undefined}
        placeholder={t("Search or jump to…")}
        autocomplete="off"
        spellcheck={false}
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={press}
      />
      <div id={id} role="listbox" class="palette-list" aria-label={t("Choices")}>
        {groups.map(({ title, choices }) => (
          <div key={title} role="group" aria-label={title}>
            <p class="palette-title" aria-hidden="true">
              {title}
            </p>
            {choices.map((choice) => {
              const own = index;
              index += 1;
              return (
                <Option
                  key={keyOf(choice)}
                  id={idOf(own)}
                  choice={choice}
                  isActive={own === at}
                  onPoint={() => setActive(own)}
                  onChoose={(isElsewhere) => choose(choice, isElsewhere)}
                />
              );
            })}
          </div>
        ))}
      </div>
      {failed !== null && <Failure error={failed} />}
      <p class="soft palette-foot" role="status">
        {isAsking ? t("Searching…") : plural(all.length, "{count} choice", "{count} choices")}
      </p>
    </dialog>
  );
}
