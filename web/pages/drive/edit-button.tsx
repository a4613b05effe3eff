import editIcon from "lucide-static/icons/square-pen.svg" with { type: "text" };
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { isTyping } from "../../lib/browser/typing.ts";
import { t } from "../../lib/words/text.ts";

/** Opens the editor, also by the key `e`. */
export function EditButton({ onEdit }: { readonly onEdit: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // Back from the editor, nothing has the focus.
    if (document.activeElement?.matches("body, dialog") === true) button.current?.focus();
    const press = (event: KeyboardEvent) => {
      if (event.key !== "e" || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
      if (dialog !== undefined && !dialog.contains(button.current)) return;
      event.preventDefault();
      button.current?.click();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <button
      ref={button}
      type="button"
      class="button"
      title={t("Edit (e)")}
      aria-keyshortcuts="e"
      onClick={onEdit}
    >
      <Icon svg={editIcon} /> <span class="preview-label">{t("Edit")}</span>
    </button>
  );
}
