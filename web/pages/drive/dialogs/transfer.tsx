import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Dialog } from "../../../components/dialog.tsx";
import { Name } from "../../../components/name.tsx";
import { TakenQuestion } from "../../../components/taken-question.tsx";
import type { Answer, Ask } from "../../../lib/files/taken.ts";
import { FolderChoice } from "../../../components/tree/folder-choice.tsx";
import { Labelled } from "../../../components/forms/labelled.tsx";
import { listDrives } from "../../../lib/drives.ts";
import { describeDone, describeEntries, type Entry, nameOf } from "../../../lib/files.ts";
import type { Done, Left } from "../../../lib/files/steps.ts";
import { asFolder } from "../../../lib/files/place.ts";
import { useLoad } from "../../../lib/api/load.ts";
import { plain } from "../../../lib/contents/overrides.ts";
import type { Drive } from "../../../lib/api/types.ts";
import type { DriveStore } from "../store/drive.ts";
import { transferEntries } from "../store/work.ts";
import { useWork, WorkReport } from "./work.tsx";
import { rich, t } from "../../../lib/words/text.ts";

interface TransferDialogProps {
  readonly store: DriveStore;
  readonly drive: Drive;
  readonly folder: string;
  readonly how: "move" | "copy";
  readonly entries: readonly Entry[];
  /** The folder of the drive that they go into, at once; undefined where it is asked for. */
  readonly into: string | undefined;
  /** With what was done, in words, and how to take it back. */
  readonly onDone: (message: string, done: readonly Done[]) => void;
  /** Some of it was done, and the rest is left. */
  readonly onPartlyDone: (message: string, done: readonly Done[]) => void;
  readonly onClose: () => void;
}

/** How long what is done at once may take before it is shown. */
const UNSEEN_MS = 500;

/** Asks where to, and moves or copies there; asks once more for what was refused there, if that is wanted. */
export function TransferDialog({ store, drive, folder, how, entries, into, ...ends }: TransferDialogProps) {
  const [to, setTo] = useState<Destination>({ drive, folder: into ?? folder });
  const [staying, setStaying] = useState(entries);
  const what = describeEntries(staying);
  const { question, ask } = useQuestion();
  const { work, start, stop, reset, done } = useWork(
    (run) => {
      const where = { toDrive: to.drive.id, toFolder: asFolder(to.folder) };
      return transferEntries(store, { how, entries: staying, ask, ...where }, run);
    },
    (all) => ends.onDone(inWords(how, all), all),
  );
  const isSeen = useSeen(into === undefined);
  useLayoutEffect(() => {
    if (into !== undefined) start();
  }, []);
  const tellPart = () => done.length > 0 && ends.onPartlyDone(inWords(how, done), done);
  const onClose = () => {
    tellPart();
    ends.onClose();
  };
  const goOn = (left: readonly Left[]) => {
    const refused = new Set(left.map(({ path }) => path));
    tellPart();
    setStaying(staying.filter(({ path }) => refused.has(path)));
    reset();
  };
  // What was not begun when it was stopped is not among what is left; all of it is still selected in the list.
  const again =
    work.state === "ended" && !work.stopped
      ? { name: t("Choose another folder"), onChoose: () => goOn(work.left) }
      : undefined;
  const isIdle = work.state === "idle" || work.state === "failed";
  const isShown = isSeen || question !== null || work.state === "ended" || work.state === "failed";
  return (
    <>
      {isShown && (
        <Dialog
          title={how === "move" ? t("Move {what}", { what }) : t("Copy {what}", { what })}
          onClose={onClose}
        >
          {isIdle && (
            <DestinationForm
              drive={drive}
              to={to}
              isHere={to.drive.id === drive.id && asFolder(to.folder) === folder}
              submit={how === "move" ? t("Move here") : t("Copy here")}
              failure={<WorkReport work={work} how={how} onStop={stop} onClose={onClose} />}
              onChange={setTo}
              onSubmit={start}
              onCancel={onClose}
            />
          )}
          {!isIdle && <WorkReport work={work} how={how} onStop={stop} again={again} onClose={onClose} />}
        </Dialog>
      )}
      {question !== null && (
        <TakenQuestion
          key={question.dismissed}
          path={asFolder(to.folder) + nameOf(question.entry.path)}
          others={question.others > 0 ? t("{count} more", { count: question.others }) : null}
          canReplace={question.entry.kind === "file"}
          onAnswer={question.onAnswer}
          onDismiss={question.onDismiss}
        >
          <Taken kind={question.entry.kind} folder={asFolder(to.folder)} drive={to.drive} />
        </TakenQuestion>
      )}
    </>
  );
}

function inWords(how: "move" | "copy", done: readonly Done[]): string {
  const isMove = how === "move";
  if (done.length === 0) return isMove ? t("Nothing was moved.") : t("Nothing was copied.");
  const what = describeDone(done);
  return isMove ? t("Moved {what}.", { what }) : t("Copied {what}.", { what });
}

/** Whether what goes on is to be seen: after a moment, unless it is `atOnce`. */
function useSeen(atOnce: boolean): boolean {
  const [isSeen, setSeen] = useState(atOnce);
  useEffect(() => {
    const timer = setTimeout(setSeen, UNSEEN_MS, true);
    return () => clearTimeout(timer);
  }, []);
  return isSeen;
}

function Taken({
  kind,
  folder,
  drive,
}: {
  readonly kind: Entry["kind"];
  readonly folder: string;
  readonly drive: Drive;
}) {
  return (
    <p>
      {rich("There is already something with this name in {folder}.", {
        folder: <Name text={folder === "" ? drive.name : folder} />,
      })}
      {kind === "folder" && <> {t("A folder can't replace it, and isn't merged with it.")}</>}
    </p>
  );
}

/** What is asked at the moment, and how the work asks. */
function useQuestion() {
  const [question, setQuestion] = useState<Question | null>(null);
  const dismissed = useRef(0);
  const ask: Ask = (entry, others) =>
    new Promise((resolve) => {
      const onAnswer = (answer: Answer) => {
        // The next one is asked in the same dialog.
        if (answer.forAll || others === 0) setQuestion(null);
        resolve(answer);
      };
      const onDismiss = () => {
        // The browser has closed that dialog: the next question needs a new one.
        dismissed.current += 1;
        onAnswer({ decision: "skip", forAll: false });
      };
      setQuestion({ entry, others, dismissed: dismissed.current, onAnswer, onDismiss });
    });
  return { question, ask };
}

interface Question {
  readonly entry: Entry;
  readonly others: number;
  /** How many were closed before. */
  readonly dismissed: number;
  readonly onAnswer: (answer: Answer) => void;
  readonly onDismiss: () => void;
}

interface Destination {
  readonly drive: Drive;
  /** As it was typed. */
  readonly folder: string;
}

interface DestinationFormProps {
  /** The drive that is open. */
  readonly drive: Drive;
  readonly to: Destination;
  /** Whether it is where the entries are already. */
  readonly isHere: boolean;
  readonly submit: string;
  readonly failure: ComponentChildren;
  readonly onChange: (to: Destination) => void;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
}

/** Asks for a folder of a drive. */
function DestinationForm({ drive, to, isHere, onChange, onSubmit, ...rest }: DestinationFormProps) {
  const { loaded } = useLoad("drives", listDrives);
  const drives = loaded.state === "ready" ? loaded.value : [drive];
  const choose = (folder: string) => onChange({ ...to, folder });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      {drives.length > 1 && (
        <Labelled label={t("Drive")} name="drive">
          {(control) => (
            <select
              {...control}
              class="input"
              value={to.drive.id}
              onChange={({ currentTarget: { value } }) =>
                onChange({ drive: drives.find(({ id }) => id === value) ?? drive, folder: "" })
              }
            >
              {drives.map(({ id, name }) => (
                <option key={id} value={id}>
                  {plain(name)}
                </option>
              ))}
            </select>
          )}
        </Labelled>
      )}
      <FolderChoice
        drive={to.drive}
        folder={to.folder}
        name="folder"
        hint={t("Choose a folder below or type a path. A new folder is created if needed.")}
        placeholder={t("Drive root")}
        onChoose={choose}
      />
      {isHere && <p class="soft">{t("Already in this folder. Choose another one.")}</p>}
      {rest.failure}
      <div class="row">
        <button class="button primary" disabled={isHere}>
          {rest.submit}
        </button>
        <button type="button" class="button" onClick={rest.onCancel}>
          {t("Cancel")}
        </button>
      </div>
    </form>
  );
}
