import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { useState } from "preact/hooks";
import { Icon } from "../../../components/icon.tsx";
import { Labelled } from "../../../components/forms/labelled.tsx";
import { Name } from "../../../components/name.tsx";
import { t } from "../../../lib/words/text.ts";

interface TagsFieldProps {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
}

/** What stands in the field by this name when its form is sent is a tag as well. */
export const TYPED_TAG = "tags";

/**
 * Tags one by one, since a tag may hold any character. What is typed becomes one on Enter. Not when leaving:
 * the form would grow under the pointer that is about to press its button.
 */
export function TagsField({ tags, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState("");
  const add = () => {
    onChange(withTag(tags, typed));
    setTyped("");
  };
  return (
    <Labelled label={t("Tags")} name={TYPED_TAG}>
      {(control) => (
        <>
          {tags.length > 0 && (
            <ul class="tags">
              {tags.map((tag) => (
                <li key={tag} class="tag">
                  <Name text={tag} />
                  <button
                    type="button"
                    aria-label={t("Remove tag {tag}", { tag })}
                    onClick={() => onChange(tags.filter((other) => other !== tag))}
                  >
                    <Icon svg={closeIcon} />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <input
            {...control}
            class="input"
            name={TYPED_TAG}
            dir="auto"
            value={typed}
            placeholder={t("Add a tag")}
            autocomplete="off"
            onInput={(event) => setTyped(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || typed.trim() === "") return;
              event.preventDefault();
              add();
            }}
          />
        </>
      )}
    </Labelled>
  );
}

/** The tags with one more, unless nothing was typed or it is among them. */
export function withTag(tags: readonly string[], typed: string): readonly string[] {
  const tag = typed.trim();
  return tag === "" || tags.includes(tag) ? tags : [...tags, tag];
}
