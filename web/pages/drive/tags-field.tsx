import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import { useId, useState } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";

interface TagsFieldProps {
  readonly tags: readonly string[];
  readonly onChange: (tags: readonly string[]) => void;
}

/** Tags one by one, since a tag may hold any character. What is typed becomes one on Enter or when leaving. */
export function TagsField({ tags, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState("");
  const id = useId();
  const add = () => {
    const tag = typed.trim();
    if (tag !== "" && !tags.includes(tag)) onChange([...tags, tag]);
    setTyped("");
  };
  return (
    <div class="field">
      <label for={id}>Tags</label>
      {tags.length > 0 && (
        <ul class="tags">
          {tags.map((tag) => (
            <li key={tag} class="tag">
              <Name text={tag} />
              <button
                type="button"
                aria-label={`Remove the tag ${tag}`}
                onClick={() => onChange(tags.filter((other) => other !== tag))}
              >
                <Icon svg={closeIcon} />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        id={id}
        class="input"
        dir="auto"
        value={typed}
        placeholder="Add a tag"
        autocomplete="off"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || typed.trim() === "") return;
          event.preventDefault();
          add();
        }}
      />
    </div>
  );
}
