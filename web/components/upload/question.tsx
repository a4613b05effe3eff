import { useState } from "preact/hooks";
import { nameOf, parentOf } from "../../lib/files.ts";
import { formatBytes } from "../../lib/words/format.ts";
import { useModal } from "../../lib/browser/modal.ts";
import type { UploadQueue } from "../../lib/uploads.ts";
import type { Decision, Upload } from "../../lib/uploads/upload.ts";
import { Name } from "../name.tsx";

interface QuestionProps {
  readonly queue: UploadQueue;
  readonly uploads: readonly Upload[];
}

/** Asks whether to keep both, replace or skip files that already exist, one by one or all at once. */
export function Question({ queue, uploads }: QuestionProps) {
  const asking = uploads.filter(({ state }) => state === "asking");
  const [first] = asking;
  const [dismissed, setDismissed] = useState(0);
  if (first === undefined) return null;
  return (
    <Asking
      // The browser has closed the dismissed dialog, so the next question needs a new one.
      key={dismissed}
      upload={first}
      others={asking.length - 1}
      queue={queue}
      onDismiss={() => setDismissed((last) => last + 1)}
    />
  );
}

interface AskingProps {
  readonly upload: Upload;
  readonly others: number;
  readonly queue: UploadQueue;
  readonly onDismiss: () => void;
}

// The same dialog for the next question, so that the focus stays.
function Asking({ upload, others, queue, onDismiss }: AskingProps) {
  const [forAll, setForAll] = useState(false);
  const decide = (decision: Decision) => queue.answer(upload.id, decision, forAll);
  const element = useModal(() => {
    decide("skip");
    onDismiss();
  });
  const folder = parentOf(upload.path);
  return (
    <dialog ref={element} class="dialog" aria-labelledby="replace-question">
      <div class="dialog-body">
        <h2 id="replace-question">
          <Name text={nameOf(upload.path)} /> already exists
        </h2>
        <p>
          There is already a file with this name in {folder === "" ? "this drive" : <Name text={folder} />}.
          Your file is {formatBytes(upload.size)}.
        </p>
        <label class="upload-for-all">
          <input
            type="checkbox"
            checked={forAll}
            onChange={(event) => setForAll(event.currentTarget.checked)}
          />
          Do the same for all other files that already exist{others > 0 && ` (${others} so far)`}
        </label>
        <div class="row">
          <button type="button" class="button primary" onClick={() => decide("keep-both")}>
            Keep both
          </button>
          {/* The second press of a double click would answer for the next file, unread. */}
          <button type="button" class="button" onClick={({ detail }) => detail < 2 && decide("replace")}>
            Replace
          </button>
          <button type="button" class="button" onClick={() => decide("skip")}>
            Skip
          </button>
        </div>
      </div>
    </dialog>
  );
}
