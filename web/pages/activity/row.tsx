import { useState } from "preact/hooks";
import { By } from "../../components/by.tsx";
import { Comparison } from "../../components/comparison.tsx";
import { Failure } from "../../components/failure.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { listChanges } from "../../lib/activity.ts";
import { usePages } from "../../lib/api/pages.ts";
import { describeChange, filesOf } from "../../lib/words/change-words.ts";
import { fileAddress, folderAddress } from "../../lib/files/place.ts";
import { parentOf } from "../../lib/files.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Change, Drive } from "../../lib/api/types.ts";
import { type Fate, fateInWords } from "../../lib/fates.ts";
import { t } from "../../lib/words/text.ts";
import { iconOf } from "./icons.ts";
import { Tools } from "./tools.tsx";
import { When } from "../../components/when.tsx";

interface ChangeRowProps {
  readonly change: Change;
  readonly drive: Drive;
  /** What became of it since; undefined where that is not known. */
  readonly fate: Fate | undefined;
}

/** Something that happened in a drive: what, to what, when and by whom. */
export function ChangeRow({ change, drive, fate = { kind: "there", path: change.path } }: ChangeRowProps) {
  const [isOpen, setOpen] = useState(false);
  const files = filesOf(change);
  return (
    <li class="change">
      <span class="kind">
        <Icon svg={iconOf(change.type)} />
      </span>
      <p class="change-what">
        {describeChange(change, {
          path: <Place change={change} drive={drive} fate={fate} />,
          previous: <Name text={change.previous_path ?? ""} />,
        })}
        {files !== "" && <span class="soft"> ({files})</span>}
      </p>
      {change.message !== null && (
        <p class="change-why">
          <Name text={change.message} />
        </p>
      )}
      <p class="soft change-when">
        <When at={change.at} /> <By by={change.by} />
      </p>
      <Tools change={change} drive={drive} isOpen={isOpen} onOpen={() => setOpen((was) => !was)} />
      {isOpen && (
        <div class="change-more">
          <Opened change={change} drive={drive} />
        </div>
      )}
    </li>
  );
}

/** What an entry shows once it is opened; see `moreOf`. */
function Opened({ change, drive }: { readonly change: Change; readonly drive: Drive }) {
  const { file_id: file, version, batch_id: batch } = change;
  if (file !== null && version !== null) {
    const compared = { from: version - 1, to: version };
    return <Comparison id={file} compared={compared} label={t("From version {from} to {to}", compared)} />;
  }
  return batch === null ? null : <BatchChanges drive={drive} batch={batch} />;
}

/** What one request did, one by one. */
function BatchChanges({ drive, batch }: { readonly drive: Drive; readonly batch: string }) {
  const { loaded, reload, more } = usePages(batch, async (part, signal) => {
    const page = await listChanges({ drive: drive.id, filter: {}, batch }, part, signal);
    return { ...page, data: page.data.filter(({ ref }) => ref !== batch) };
  });
  if (loaded.state === "loading") return <p class="soft">{t("Loading…")}</p>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  return (
    <>
      <ul class="list">
        {loaded.value.data.map((change) => (
          <ChangeRow key={change.id} change={change} drive={drive} fate={undefined} />
        ))}
      </ul>
      {loaded.value.hasMore && <ShowMore onMore={more} />}
    </>
  );
}

interface PlaceProps extends ChangeRowProps {
  readonly fate: Fate;
}

/** The path of something that changed, which leads to it if it is there, and says what became of it if not. */
function Place({ change, drive, fate }: PlaceProps) {
  const { path } = change;
  const since = fateInWords(change, fate, (at) => <Name text={at} />);
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
      {since !== null && <span class="soft"> ({since})</span>}
    </>
  );
}
