import { startOfText, withFewMarks } from "../lib/contents/long-text.ts";
import { overrideName, splitAtOverrides } from "../lib/contents/overrides.ts";
import { plural, t } from "../lib/words/text.ts";

/** A name chosen by somebody else. It cannot reorder the text around it or hide its own order. */
export function Name({ text }: { readonly text: string }) {
  return (
    <bdi class="name">
      <Visible text={text} />
    </bdi>
  );
}

/** Longer than what is written by hand, so that only what is meant to be long is cut. */
const MOST_CHARACTERS = 2000;

/** A text whose reordering characters (bidi overrides) are shown instead of applied. Of a long one, the start. */
export function Visible({ text }: { readonly text: string }) {
  const { shown, left } = startOfText(withFewMarks(text), MOST_CHARACTERS);
  return (
    <>
      {splitAtOverrides(shown).map((part) =>
        part.isOverride ? (
          <span class="override" title={t("Hidden character that reverses the text")}>
            {overrideName(part.text)}
          </span>
        ) : (
          part.text
        ),
      )}
      <MoreText left={left} />
    </>
  );
}

/** After the start of a text: how many characters of it are left out, if any. */
export function MoreText({ left }: { readonly left: number }) {
  if (left === 0) return null;
  return (
    <span class="soft"> {plural(left, "… and {count} more character", "… and {count} more characters")}</span>
  );
}
