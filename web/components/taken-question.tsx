import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { useModal } from "../lib/browser/modal.ts";
import type { Answer, Decision } from "../lib/files/taken.ts";
import { nameOf } from "../lib/files.ts";
import { rich, t } from "../lib/words/text.ts";
import { Name } from "./name.tsx";

interface TakenQuestionProps {
  /** Where something is to go, and something else is. */
  readonly path: string;
  /** What stands there, as far as that is known, and what is to come. */
  readonly children: ComponentChildren;
  /** Those whose places are taken, too, such as "2 so far"; null for none. */
  readonly others: string | null;
  readonly canReplace: boolean;
  readonly onAnswer: (answer: Answer) => void;
  /** It was closed without an answer. */
  readonly onDismiss: () => void;
}

/** Asks what to do about something whose place is taken. The same dialog is for the next one, so that the focus stays. */
export function TakenQuestion({ path, others, canReplace, onAnswer, ...rest }: TakenQuestionProps) {
  const [forAll, setForAll] = useState(false);
  const element = useModal(rest.onDismiss);
  const decide = (decision: Decision) => onAnswer({ decision, forAll });
  return (
    <dialog ref={element} class="dialog" aria-labelledby="taken-question">
      <div class="dialog-body">
        <h2 id="taken-question">{rich("{name} already exists", { name: <Name text={nameOf(path)} /> })}</h2>
        {rest.children}
        <label class="for-all">
          <input
            type="checkbox"
            checked={forAll}
            onChange={(event) => setForAll(event.currentTarget.checked)}
          />
          {others === null
            ? t("Do the same for all others that already exist")
            : t("Do the same for all others that already exist ({others})", { others })}
        </label>
        <div class="row">
          <button type="button" class="button primary" onClick={() => decide("keep_both")}>
            {t("Keep both")}
          </button>
          {canReplace && (
            // The second press of a double click would answer for the next one, unread.
            <button type="button" class="button" onClick={({ detail }) => detail < 2 && decide("replace")}>
              {t("Replace")}
            </button>
          )}
          <button type="button" class="button" onClick={() => decide("skip")}>
            {t("Skip")}
          </button>
        </div>
      </div>
    </dialog>
  );
}
