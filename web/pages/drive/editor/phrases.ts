import { t } from "../../../lib/words/text.ts";

/** What the editor says itself, by its own English: the panel to search and replace, and what it reads aloud. */
export function phrases(): Readonly<Record<string, string>> {
  return {
    Find: t("Find"),
    next: t("match|next"),
    previous: t("match|previous"),
    all: t("matches|all"),
    "match case": t("match case"),
    regexp: t("regexp"),
    "by word": t("by word"),
    Replace: t("Replace"),
    replace: t("replace"),
    "replace all": t("replace all"),
    close: t("close"),
    "Go to line": t("Go to line"),
    go: t("go"),
    "current match": t("current match"),
    "on line": t("on line"),
    "replaced match on line $": t("replaced match on line $"),
    "replaced $ matches": t("replaced $ matches"),
    "Selection deleted": t("Selection deleted"),
    "Control character": t("Control character"),
  };
}
