import { type DiffLine, readDiff } from "../lib/diff.ts";
import { Visible } from "./name.tsx";

const MARKS: Readonly<Record<DiffLine["kind"], string>> = { added: "+", removed: "−", same: " ", place: "" };
const IN_WORDS: Readonly<Record<DiffLine["kind"], string>> = {
  added: "added",
  removed: "removed",
  same: "",
  place: "",
};

/** What differs between two texts, line by line. */
export function Diff({ diff, label }: { readonly diff: string; readonly label: string }) {
  return (
    <div class="diff" tabIndex={0} role="region" aria-label={label}>
      <pre>
        {readDiff(diff).map(({ kind, text }, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- the lines of one diff never change
          <span key={at} class={`diff-line diff-${kind}`}>
            <span aria-hidden="true">{MARKS[kind]} </span>
            {IN_WORDS[kind] !== "" && <span class="hidden-visually">{IN_WORDS[kind]}: </span>}
            <Visible text={text} />
            {"\n"}
          </span>
        ))}
      </pre>
    </div>
  );
}
