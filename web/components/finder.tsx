import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

/** From this many entries on, one looks for one by typing. */
export const MANY = 9;

interface Props {
  /** As in "Find a drive". */
  readonly label: string;
  /** What is typed so far. */
  readonly wanted: string;
  readonly onWant: (wanted: string) => void;
  /** How many entries are left, for those who do not see the list get shorter. */
  readonly children: ComponentChildren;
}

/** Narrows a list that is all there to what somebody types. */
export function Finder({ label, wanted, onWant, children }: Props) {
  return (
    <div class="finder">
      <Icon svg={searchIcon} />
      <input
        class="input"
        type="search"
        autocomplete="off"
        aria-label={label}
        placeholder={label}
        value={wanted}
        onInput={(event) => onWant(event.currentTarget.value)}
      />
      <span class="hidden-visually" role="status">
        {wanted !== "" && children}
      </span>
    </div>
  );
}

/** Whether what a person types to find something in a list stands in one of its texts, however it is cased. */
export function isWanted(typed: string, texts: readonly (string | null)[]): boolean {
  const wanted = typed.trim().toLocaleLowerCase();
  return texts.some((text) => text?.toLocaleLowerCase().includes(wanted) === true);
}
