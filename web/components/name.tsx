import { overrideName, splitAtOverrides } from "../lib/overrides.ts";

/** A name chosen by somebody else. It cannot reorder the text around it or hide its own order. */
export function Name({ text }: { readonly text: string }) {
  return (
    <bdi class="name">
      <Visible text={text} />
    </bdi>
  );
}

/** A text whose reordering characters (bidi overrides) are shown instead of applied. */
export function Visible({ text }: { readonly text: string }) {
  return (
    <>
      {splitAtOverrides(text).map((part) =>
        part.isOverride ? (
          <span class="override" title="Hidden character that reverses the text">
            {overrideName(part.text)}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
