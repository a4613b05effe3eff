import closeIcon from "lucide-static/icons/x.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { activityAddress } from "../../lib/activity.ts";
import { asApiError } from "../../lib/api/api.ts";
import type { Doings, Drive, News } from "../../lib/api/types.ts";
import { useFocusHandedOn } from "../../lib/browser/focus.ts";
import { Link } from "../../lib/browser/router.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { doingsInWords } from "../../lib/words/doings.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { rich, t } from "../../lib/words/text.ts";
import { Who } from "../by.tsx";
import { First } from "../first.tsx";
import { Icon } from "../icon.tsx";
import { Name } from "../name.tsx";
import { say } from "../toast.tsx";
import { UndoDoings } from "./undo-doings.tsx";

interface NewsPanelProps {
  readonly news: readonly News[];
  /** Those that are shown: of several, each is named. */
  readonly drives: readonly Drive[];
  readonly onDismiss: () => Promise<void>;
}

/** What somebody did in a drive. */
interface Line {
  readonly drive: Drive;
  readonly news: News;
  /** Null for what was not counted. */
  readonly doings: Doings | null;
}

/** What others did since one was there last: to look at, and to take back. */
export function NewsPanel({ news, drives, onDismiss }: NewsPanelProps) {
  const [undoing, setUndoing] = useState<Line | null>(null);
  const [undone, setUndone] = useState<ReadonlySet<string>>(new Set());
  const lines = news.flatMap((one) => linesOf(one, drives)).filter((line) => !undone.has(keyOf(line)));
  if (lines.length === 0) return null;
  const dismiss = async () => {
    try {
      await onDismiss();
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  return (
    <Panel>
      <div class="news-head">
        <h2 id="news">{t("Since your last visit")}</h2>
        <button type="button" class="button quiet" onClick={() => void dismiss()}>
          <Icon svg={closeIcon} /> {t("Dismiss")}
        </button>
      </div>
      <First of={lines}>
        {(some) => (
          <ul class="news-lines">
            {some.map((line) => (
              <NewsLine
                key={keyOf(line)}
                {...line}
                namesDrive={drives.length > 1}
                onUndo={() => setUndoing(line)}
              />
            ))}
          </ul>
        )}
      </First>
      {undoing !== null && undoing.doings !== null && (
        <UndoDoings
          drive={undoing.drive}
          by={undoing.doings.by}
          since={undoing.news.since}
          onClose={() => setUndoing(null)}
          onDone={() => setUndone(new Set([...undone, keyOf(undoing)]))}
        />
      )}
    </Panel>
  );
}

/** The panel. When it goes with what has the focus, that goes to the page. */
function Panel({ children }: { readonly children: ComponentChildren }) {
  const element = useRef<HTMLElement>(null);
  useFocusHandedOn(element);
  return (
    <section ref={element} class="card news" aria-labelledby="news">
      {children}
    </section>
  );
}

function linesOf(news: News, drives: readonly Drive[]): readonly Line[] {
  const drive = drives.find(({ id }) => id === news.drive_id);
  if (drive === undefined) return [];
  const lines = news.doings.map((doings) => ({ drive, news, doings }));
  return news.has_more ? [...lines, { drive, news, doings: null }] : lines;
}

/** Another one once they have done more. */
function keyOf({ drive, doings }: Line): string {
  return `${drive.id} ${JSON.stringify(doings)}`;
}

interface NewsLineProps extends Line {
  readonly namesDrive: boolean;
  readonly onUndo: () => void;
}

function NewsLine({ drive, news, doings, namesDrive, onUndo }: NewsLineProps) {
  const by = doings?.by ?? null;
  const canUndo = doings !== null && by !== null && drive.role !== "reader" && isOfFiles(doings);
  return (
    <li class="news-line">
      <p>
        <Told doings={doings} drive={namesDrive ? drive : null} />{" "}
        <small class="soft" title={formatTime(news.since)}>
          {t("(you were there {when})", { when: formatRelative(news.since) })}
        </small>
      </p>
      <div class="row">
        <Link to={activityAddress(drive.id, { by: by?.id ?? "", when: news.since })} class="button quiet">
          {t("Look")}
        </Link>
        {canUndo && (
          <button type="button" class="button quiet" onClick={onUndo}>
            {t("Undo")}
          </button>
        )}
      </div>
    </li>
  );
}

interface ToldProps extends Pick<Line, "doings"> {
  /** Null where it needs no name. */
  readonly drive: Drive | null;
}

function Told({ doings, drive }: ToldProps) {
  const where = drive !== null && (
    <Link to={folderAddress(drive.slug ?? drive.id, "")}>
      <Name text={drive.name} />
    </Link>
  );
  if (doings === null) {
    return where === false
      ? t("Much more changed than is counted here")
      : rich("Much more changed than is counted here in {drive}", { drive: where });
  }
  const who = <Who by={doings.by} />;
  const did = doingsInWords(doings);
  return where === false
    ? rich("{who} {did}", { who, did })
    : rich("{who} {did} in {drive}", { who, did, drive: where });
}

function isOfFiles({ written, deleted, moved }: Doings): boolean {
  return written + deleted + moved > 0;
}
