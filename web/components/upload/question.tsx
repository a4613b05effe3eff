import { useState } from "preact/hooks";
import { parentOf } from "../../lib/files.ts";
import { formatBytes, sentenceSpace } from "../../lib/words/format.ts";
import { rich, t } from "../../lib/words/text.ts";
import type { UploadQueue } from "../../lib/uploads.ts";
import type { Upload } from "../../lib/uploads/upload.ts";
import { Name } from "../name.tsx";
import { TakenQuestion } from "../taken-question.tsx";

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

function Asking({ upload, others, queue, onDismiss }: AskingProps) {
  const folder = parentOf(upload.path);
  return (
    <TakenQuestion
      path={upload.path}
      others={others > 0 ? t("{count} so far", { count: others }) : null}
      canReplace
      onAnswer={({ decision, forAll }) => queue.answer(upload.id, decision, forAll)}
      onDismiss={() => {
        queue.answer(upload.id, "skip", false);
        onDismiss();
      }}
    >
      <p>
        {folder === ""
          ? t("There is already a file with this name in this drive.")
          : rich("There is already a file with this name in {folder}.", {
              folder: <Name text={folder} />,
            })}
        {sentenceSpace()}
        {t("Your file is {size}.", { size: formatBytes(upload.size) })}
      </p>
    </TakenQuestion>
  );
}
