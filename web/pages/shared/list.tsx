import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import folderIcon from "lucide-static/icons/folder.svg" with { type: "text" };
import { FileSign } from "../../components/file-sign.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { nameOf } from "../../lib/files.ts";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { Link } from "../../lib/browser/router.tsx";
import { sharedAddress, sharedArchive, sharedDownload, shownFile } from "../../lib/shared.ts";
import type { SharedFile } from "../../lib/api/types.ts";
import { t } from "../../lib/words/text.ts";
import type { FolderContents } from "./use-folder.ts";

interface SharedListProps {
  readonly token: string;
  readonly contents: FolderContents;
  readonly label: string;
}

/** What is in a folder: folders, then files, each to be opened or downloaded. */
export function SharedList({ token, contents, label }: SharedListProps) {
  const { folders, files, state, failure } = contents;
  if (state === "loading") return failure === null ? <p class="soft">{t("Loading…")}</p> : null;
  if (folders.length + files.length === 0) return <p class="card soft">{t("This folder is empty.")}</p>;
  return (
    <>
      <div role="table" class="shared-list" aria-label={plain(label)}>
        <div role="row" class="shared-row shared-columns">
          <span role="columnheader">{t("Name")}</span>
          <span role="columnheader" class="cell-size">
            {t("Size")}
          </span>
          <span role="columnheader" class="cell-modified">
            {t("Modified")}
          </span>
          <span role="columnheader">
            <span class="hidden-visually">{t("Download")}</span>
          </span>
        </div>
        {folders.map((path) => (
          <FolderRow key={path} token={token} path={path} />
        ))}
        {files.map((file) => (
          <FileRow key={file.path} token={token} file={file} />
        ))}
      </div>
      {state === "more" && (
        <div class="row">
          <button type="button" class="button" onClick={() => void contents.loadMore()}>
            {t("Show more")}
          </button>
        </div>
      )}
    </>
  );
}

function FolderRow({ token, path }: { readonly token: string; readonly path: string }) {
  const name = nameOf(path);
  return (
    <div role="row" class="shared-row">
      <span role="cell" class="cell-name">
        <span class="cell-sign">
          <span class="kind kind-folder">
            <Icon svg={folderIcon} />
            <span class="hidden-visually">{t("Folder")}</span>
          </span>
        </span>
        <span class="cell-words">
          <Link to={sharedAddress(token, path)} title={plain(name)}>
            <Name text={name} />
          </Link>
        </span>
      </span>
      <span role="cell" class="cell-size" />
      <span role="cell" class="cell-modified" />
      <Download name={name} href={sharedArchive(token, path)} />
    </div>
  );
}

function FileRow({ token, file }: { readonly token: string; readonly file: SharedFile }) {
  const name = nameOf(file.path);
  return (
    <div role="row" class="shared-row">
      <span role="cell" class="cell-name">
        <span class="cell-sign">
          <FileSign file={shownFile(file)} size="small" />
        </span>
        <span class="cell-words">
          <Link to={sharedAddress(token, file.path)} title={plain(name)}>
            <Name text={name} />
          </Link>
          <small class="shared-facts soft">
            {formatBytes(file.size)} · {formatRelative(file.updated_at)}
          </small>
        </span>
      </span>
      <span role="cell" class="cell-size">
        {formatBytes(file.size)}
      </span>
      <span role="cell" class="cell-modified">
        <time dateTime={file.updated_at} title={formatTime(file.updated_at)}>
          {formatRelative(file.updated_at)}
        </time>
      </span>
      <Download name={name} href={sharedDownload(token, file.path)} />
    </div>
  );
}

function Download({ name, href }: { readonly name: string; readonly href: string }) {
  return (
    <span role="cell" class="cell-more">
      <a
        class="button quiet more"
        href={href}
        download
        aria-label={t("Download {name}", { name: plain(name) })}
      >
        <Icon svg={downloadIcon} />
      </a>
    </span>
  );
}
