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

/** Something that happened in a drive: what, to what, when and by whom. */
export function ChangeRow({ change, drive }: { readonly change: Change; readonly drive: Drive }) {
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
            <Place change={change} drive={drive} path={place} />
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

interface PlaceProps {
  readonly change: Change;
  readonly drive: Drive;
  readonly path: string;
}

/** The path of something that changed, which leads to it unless it is gone. */
function Place({ change, drive, path }: PlaceProps) {
  if (/^(?:file|folder)\.deleted$/.test(change.type)) return <Name text={path} />;
  const at = drive.slug ?? drive.id;
  const isFolder = path.endsWith("/");
  const to =
    change.file_id === null || isFolder
      ? folderAddress(at, isFolder ? path : parentOf(path))
      : fileAddress(at, parentOf(path), change.file_id);
  return (
    <Link to={to}>
      <Name text={path} />
    </Link>
  );
}

/** The time of day, in the reader's zone. */
function timeOf(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { timeStyle: "short" });
}
