import searchIcon from "lucide-static/icons/search.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { Icon } from "../icon.tsx";

/** The number of entries from which a list has a text filter. */
export const MANY = 9;

interface Props {
  /** As in "Find a drive". */
  readonly label: string;
  /** The text typed so far. */
  readonly wanted: string;
  readonly onWant: (wanted: string) => void;
  /** The number of matches, for screen readers. */
  readonly children: ComponentChildren;
}

/** Filters a fully loaded list by the text typed. */
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

/** Whether one of the texts contains what a person typed, in any case. */
export function isWanted(typed: string, texts: readonly (string | null)[]): boolean {
  const wanted = typed.trim().toLocaleLowerCase();
  return texts.some((text) => text?.toLocaleLowerCase().includes(wanted) === true);
}
