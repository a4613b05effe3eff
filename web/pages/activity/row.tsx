import addedIcon from "lucide-static/icons/plus.svg" with { type: "text" };
import changedIcon from "lucide-static/icons/pencil.svg" with { type: "text" };
import commentIcon from "lucide-static/icons/message-square.svg" with { type: "text" };
import labelIcon from "lucide-static/icons/tag.svg" with { type: "text" };
import deletedIcon from "lucide-static/icons/trash-2.svg" with { type: "text" };
import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import memberIcon from "lucide-static/icons/users-round.svg" with { type: "text" };
import movedIcon from "lucide-static/icons/folder-input.svg" with { type: "text" };
import restoredIcon from "lucide-static/icons/undo-2.svg" with { type: "text" };
import snapshotIcon from "lucide-static/icons/camera.svg" with { type: "text" };
import { By } from "../../components/by.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { describeChange } from "../../lib/words/change-words.ts";
import { fileAddress, folderAddress } from "../../lib/files/place.ts";
import { parentOf } from "../../lib/files.ts";
import { formatTime } from "../../lib/words/format.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Change, Drive } from "../../lib/api/types.ts";
import { type Fate, fateInWords } from "../../lib/fates.ts";

/** The first pattern that matches a type gives its icon. */
const ICONS: readonly (readonly [type: RegExp, svg: string])[] = [
  [/^comment\./, commentIcon],
  [/^version\./, labelIcon],
  [/^snapshot\./, snapshotIcon],
  [/^member\./, memberIcon],
  [/^link\./, linkIcon],
  [/\.(?:created|copied)$/, addedIcon],
  [/\.deleted$/, deletedIcon],
  [/\.moved$/, movedIcon],
  [/\.restored$/, restoredIcon],
];

interface ChangeRowProps {
  readonly change: Change;
  readonly drive: Drive;
  /** What became of it since. */
  readonly fate: Fate;
}

/** Something that happened in a drive: what, to what, when and by whom. */
export function ChangeRow({ change, drive, fate }: ChangeRowProps) {
  const { did, path, to, more } = describeChange(change);
  const [, svg] = ICONS.find(([type]) => type.test(change.type)) ?? [null, changedIcon];
  const place = to ?? path;
  return (
    <li class="change">
      <span class="kind">
        <Icon svg={svg} />
      </span>
      <p class="change-what">
        {did}
        {to !== null && path !== null && (
          <>
            {" "}
            <Name text={path} /> to
          </>
        )}
        {place !== null && (
          <>
            {" "}
            <Place change={change} drive={drive} path={place} fate={fate} />
          </>
        )}
        {more !== "" && <span class="soft"> ({more})</span>}
      </p>
      {change.message !== null && (
        <p class="change-why">
          <Name text={change.message} />
        </p>
      )}
      <p class="soft change-when">
        <time dateTime={change.at} title={formatTime(change.at)}>
          {timeOf(change.at)}
        </time>{" "}
        <By by={change.by} />
      </p>
    </li>
  );
}

interface PlaceProps extends ChangeRowProps {
  readonly path: string;
}

/** The path of something that changed, which leads to it if it is there, and says what became of it if not. */
function Place({ change, drive, path, fate }: PlaceProps) {
  const since = fateInWords(change, fate);
  if (fate.kind === "gone") {
    return (
      <>
        <Name text={path} />
        {since !== null && <span class="soft"> ({since})</span>}
      </>
    );
  }
  const at = drive.slug ?? drive.id;
  const isFolder = fate.path.endsWith("/");
  const to =
    change.file_id === null || isFolder
      ? folderAddress(at, isFolder ? fate.path : parentOf(fate.path))
      : fileAddress(at, parentOf(fate.path), change.file_id);
  return (
    <>
      <Link to={to}>
        <Name text={path} />
      </Link>
      {since !== null && (
        <span class="soft">
          {" "}
          ({since}
          {fate.path !== change.path && (
            <>
              {" "}
              <Name text={fate.path} />
            </>
          )}
          )
        </span>
      )}
    </>
  );
}

/** The time of day, in the reader's zone. */
function timeOf(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { timeStyle: "short" });
}
