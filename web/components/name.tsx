import { overrideName, splitAtOverrides } from "../lib/overrides.ts";

/** A name somebody else chose: it cannot reorder what stands around it, nor lie about its own order. */
export function Name({ text }: { readonly text: string }) {
  return (
    <bdi class="name">
      <Visible text={text} />
    </bdi>
  );
}

/** A text in which the characters that would reorder it are shown instead of obeyed. */
export function Visible({ text }: { readonly text: string }) {
  return (
    <>
      {splitAtOverrides(text).map((part) =>
        part.isOverride ? (
          <span class="override" title="A hidden character that would reverse the text">
            {overrideName(part.text)}
          </span>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
