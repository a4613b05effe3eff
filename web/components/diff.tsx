import { useMemo } from "preact/hooks";
import { withFoundLetters } from "../lib/contents/missing-letters.ts";
import { type DiffLine, readDiff } from "../lib/contents/diff.ts";
import { mark, type PlainMessage, t } from "../lib/words/text.ts";
import { Visible } from "./name.tsx";

/** Lines that are shown: a browser takes seconds for many thousands. */
const MOST_LINES = 2000;

const MARKS: Readonly<Record<DiffLine["kind"], string>> = { added: "+", removed: "−", same: " ", place: "" };
const IN_WORDS: Readonly<Record<DiffLine["kind"], PlainMessage | "">> = {
  added: mark("added"),
  removed: mark("removed"),
  same: "",
  place: "",
};

interface DiffProps {
  /** A unified diff. */
  readonly diff: string;
  /** Whether it goes on after this. */
  readonly isCut: boolean;
  readonly label: string;
}

/** What differs between two texts, line by line. */
export function Diff({ diff, isCut, label }: DiffProps) {
  const lines = useMemo(() => readDiff(withFoundLetters(diff)), [diff]);
  return (
    <>
      <div class="diff" tabIndex={0} role="region" aria-label={label}>
        <pre>
          {lines.slice(0, MOST_LINES).map(({ kind, text }, at) => (
            <span key={at} class={`diff-line diff-${kind}`}>
              <span aria-hidden="true">{MARKS[kind]} </span>
              {IN_WORDS[kind] !== "" && <span class="hidden-visually">{t(IN_WORDS[kind])}: </span>}
              <Visible text={text} />
              {"\n"}
            </span>
          ))}
        </pre>
      </div>
      {(isCut || lines.length > MOST_LINES) && (
        <p class="soft">{t("There are more differences than are shown here.")}</p>
      )}
    </>
  );
}
