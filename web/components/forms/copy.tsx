import copyIcon from "lucide-static/icons/copy.svg" with { type: "text" };
import { asApiError } from "../../lib/api/api.ts";
import { copyText } from "../../lib/browser/clipboard-copy.ts";
import { t } from "../../lib/words/text.ts";
import { Icon } from "../icon.tsx";
import { say } from "../toast.tsx";

interface CopyProps {
  readonly text: string;
  /** What is copied, as in "Copy the key": `t("copy|the key")`. */
  readonly what: string;
  /** Shows the text itself on the button; for short texts. */
  readonly shown?: boolean;
}

/** A button that puts a text on the clipboard and says so. */
export function Copy({ text, what, shown = false }: CopyProps) {
  const copy = async () => {
    try {
      await copyText(text);
      say(t("Copied {what}.", { what }));
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  const title = t("Copy {what}", { what });
  return shown ? (
    <button type="button" class="chip" title={title} onClick={() => void copy()}>
      <span class="hidden-visually">{title}</span>
      <code>{text}</code>
      <Icon svg={copyIcon} />
    </button>
  ) : (
    <button type="button" class="button" title={title} aria-label={title} onClick={() => void copy()}>
      <Icon svg={copyIcon} /> {t("Copy")}
    </button>
  );
}
