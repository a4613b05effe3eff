import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import { DriveHead } from "../../components/shell/drive-head.tsx";
import { Failure } from "../../components/failure.tsx";
import { FileIcon } from "../../components/file-icon.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { ShowMore } from "../../components/show-more.tsx";
import { nameOf } from "../../lib/files.ts";
import { formatBytes, formatRelative } from "../../lib/words/format.ts";
import { usePages } from "../../lib/api/pages.ts";
import { Link } from "../../lib/browser/router.tsx";
import { downloadInside, listFilesInside, listFoldersInside } from "../../lib/snapshots.ts";
import type { Drive, FileRecord, FolderRecord, Snapshot } from "../../lib/api/types.ts";
import { plural, t } from "../../lib/words/text.ts";
import { insideAddress } from "./addresses.ts";
import { SnapshotTools } from "./tools.tsx";

interface InsideProps {
  readonly drive: Drive;
  readonly snapshot: Snapshot;
  /** The folder that is looked into; empty for the drive itself. */
  readonly path: string;
}

/** A folder as a snapshot has it: its folders lead further in, its files are downloaded. */
export function Inside({ drive, snapshot, path }: InsideProps) {
  return (
    <>
      <DriveHead title={t("Snapshots")} drive={drive}>
        <SnapshotTools drive={drive} snapshot={snapshot} path={path} onDone={() => {}} />
      </DriveHead>
      <Way snapshot={snapshot} path={path} />
      <p class="soft">
        {t("As it was {when}. Nothing can be changed here.", { when: formatRelative(snapshot.created_at) })}
      </p>
      <Entries key={path} snapshot={snapshot} path={path} />
    </>
  );
}

function Way({ snapshot, path }: Pick<InsideProps, "snapshot" | "path">) {
  const ends = Array.from(path.matchAll(/\//g), ({ index }) => path.slice(0, index + 1));
  return (
    <h2 class="way">
      <Link to={insideAddress(snapshot, "")}>
        <Name text={snapshot.name} />
      </Link>
      {ends.map((end) => (
        <span key={end}>
          {" / "}
          <Link to={insideAddress(snapshot, end)}>
            <Name text={nameOf(end)} />
          </Link>
        </span>
      ))}
    </h2>
  );
}

function Entries({ snapshot, path }: Pick<InsideProps, "snapshot" | "path">) {
  const folders = usePages("folders", (part, signal) => listFoldersInside(snapshot, path, part, signal));
  const files = usePages("files", (part, signal) => listFilesInside(snapshot, path, part, signal));
  const lists = [folders.loaded, files.loaded];
  const failed = lists.find((list) => list.state === "failed");
  const retry = () => {
    folders.reload();
    files.reload();
  };
  if (failed !== undefined) return <Failure error={failed.error} retry={retry} />;
  if (folders.loaded.state !== "ready" || files.loaded.state !== "ready")
    return <p class="soft">{t("Loading…")}</p>;
  const [inFolders, inFiles] = [folders.loaded.value, files.loaded.value];
  if (inFolders.data.length + inFiles.data.length === 0)
    return <p class="soft">{t("This folder was empty.")}</p>;
  const more = () => {
    if (inFolders.hasMore) folders.more();
    if (inFiles.hasMore) files.more();
  };
  return (
    <>
      <ul class="list">
        {inFolders.data.map((folder) => (
          <FolderInside key={folder.path} snapshot={snapshot} folder={folder} />
        ))}
        {inFiles.data.map((file) => (
          <FileInside key={file.path} snapshot={snapshot} file={file} />
        ))}
      </ul>
      {(inFolders.hasMore || inFiles.hasMore) && <ShowMore onMore={more} />}
    </>
  );
}

function FolderInside({ snapshot, folder }: { readonly snapshot: Snapshot; readonly folder: FolderRecord }) {
  return (
    <li class="kept-entry">
      <span class="kind kind-folder">
        <Icon svg={folderIcon} />
        <span class="hidden-visually">{t("Folder")}</span>
      </span>
      <Link to={insideAddress(snapshot, folder.path)}>
        <Name text={nameOf(folder.path)} />
      </Link>
      <span class="soft">
        {plural(folder.file_count, "{count} file, {size}", "{count} files, {size}", {
          size: formatBytes(folder.total_size),
        })}
      </span>
    </li>
  );
}

function FileInside({ snapshot, file }: { readonly snapshot: Snapshot; readonly file: FileRecord }) {
  return (
    <li class="kept-entry">
      <FileIcon type={file.mime_type} />
      <a href={downloadInside(snapshot, file.path)} download={file.filename}>
        <Name text={file.filename} />
      </a>
      <span class="soft">{formatBytes(file.size)}</span>
    </li>
  );
}
