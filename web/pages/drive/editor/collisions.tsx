import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { First } from "../../../components/first.tsx";
import { textOf } from "../../../components/forms/form.tsx";
import { Visible } from "../../../components/name.tsx";
import { withFoundLetters } from "../../../lib/contents/missing-letters.ts";
import type { Editing } from "../../../lib/editing/editing.ts";
import { type Collision, collisionsOf, type Side } from "../../../lib/editing/merge.ts";
import type { Undecided } from "../../../lib/editing/notice.ts";
import { Who } from "./notices.tsx";
import { sentenceSpace } from "../../../lib/words/format.ts";
import { mark, type PlainMessage, plural, rich, t } from "../../../lib/words/text.ts";

/** Lines of a side that are shown. */
const MOST_LINES = 40;

const SIDES: readonly (readonly [side: Side, name: PlainMessage])[] = [
  ["both", mark("Both")],
  ["mine", mark("Yours")],
  ["theirs", mark("Theirs")],
];

interface CollisionsProps {
  readonly editing: Editing;
  readonly undecided: Undecided;
}

/** Lines that somebody else changed, too, with both sides of each; asks which of them the text is to have. */
export function Collisions({ editing, undecided }: CollisionsProps) {
  const collisions = collisionsOf(undecided.parts);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  const decide = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const values = new FormData(event.currentTarget);
    const sideOf = (at: number) => SIDES.find(([side]) => side === textOf(values, nameOf(at)))?.[0] ?? "both";
    editing.decide(collisions.map((_, at) => sideOf(at)));
  };
  return (
    <form class="preview-body collisions" onSubmit={decide}>
      <h3 ref={heading} tabIndex={-1}>
        {t("You and somebody else changed the same lines")}
      </h3>
      <p>
        {rich("The file was changed {by} while you edited it.", { by: <Who by={undecided.by} /> })}
        {sentenceSpace()}
        {t("Choose which lines to keep. Nothing is saved yet: you can edit the text afterwards.")}
      </p>
      <First of={collisions}>
        {(shown) => (
          <ol>
            {shown.map((collision, at) => (
              <Place key={at} at={at} of={collisions.length} collision={collision} />
            ))}
          </ol>
        )}
      </First>
      <div class="row">
        <button class="button primary">{t("Put into the text")}</button>
        <button type="button" class="button" onClick={() => editing.putOff()}>
          {t("Back to your text")}
        </button>
      </div>
    </form>
  );
}

interface PlaceProps {
  /** Its index. */
  readonly at: number;
  /** How many there are. */
  readonly of: number;
  readonly collision: Collision;
}

function Place({ at, of, collision }: PlaceProps) {
  return (
    <li>
      <fieldset>
        <legend>{t("Place {place} of {total}", { place: at + 1, total: of })}</legend>
        <div class="sides">
          <SideLines name={t("Yours")} lines={collision.mine} />
          <SideLines name={t("Theirs")} lines={collision.theirs} />
        </div>
        <div class="row">
          {SIDES.map(([side, name]) => (
            <label key={side} class="row">
              <input type="radio" name={nameOf(at)} value={side} defaultChecked={side === "both"} />
              {t(name)}
            </label>
          ))}
        </div>
      </fieldset>
    </li>
  );
}

function SideLines({ name, lines }: { readonly name: string; readonly lines: readonly string[] }) {
  const shown = useMemo(() => withFoundLetters(lines.slice(0, MOST_LINES).join("\n")).split("\n"), [lines]);
  const left = lines.length - shown.length;
  return (
    <div class="side">
      <h4>{name}</h4>
      {lines.length === 0 ? (
        <p class="soft">{t("These lines were deleted.")}</p>
      ) : (
        <pre>
          {shown.map((line) => (
            <>
              <Visible text={line} />
              {"\n"}
            </>
          ))}
        </pre>
      )}
      {left > 0 && <p class="soft">{plural(left, "and {count} more line", "and {count} more lines")}</p>}
    </div>
  );
}

function nameOf(at: number): string {
  return `side-${at}`;
}
