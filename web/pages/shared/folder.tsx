import chevronIcon from "lucide-static/icons/chevron-right.svg" with { type: "text" };
import downloadIcon from "lucide-static/icons/download.svg" with { type: "text" };
import { Failure } from "../../components/failure.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { Readme } from "../../components/readme.tsx";
import { nameOf } from "../../lib/files.ts";
import { formatBytes } from "../../lib/words/format.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { Link, navigate, type Place } from "../../lib/browser/router.tsx";
import { readmeAmong } from "../../lib/files/readme.ts";
import { sharedAddress, sharedArchive, shownFile } from "../../lib/shared.ts";
import type { Shared } from "../../lib/api/types.ts";
import { plural, t } from "../../lib/words/text.ts";
import { Ends } from "./ends.tsx";
import { SharedList } from "./list.tsx";
import { SharedPreview } from "./preview.tsx";
import { useFolder } from "./use-folder.ts";

interface SharedFolderProps {
  readonly token: string;
  readonly shared: Shared;
  readonly place: Place;
  /** The link no longer shows anything, or wants its password again. */
  readonly onRefused: () => void;
}

/** A folder that a link shows, and a file in it above it. */
export function SharedFolder({ token, shared, place, onRefused }: SharedFolderProps) {
  const path = place.query.get("path") ?? "";
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const contents = useFolder(token, folder, onRefused);
  const readme = readmeAmong(contents.files);
  const close = () => {
    if (place.isReached) history.back();
    else navigate(sharedAddress(token, folder), { replace: true });
  };
  return (
    <>
      <header class="page-head shared-head">
        <div>
          <Crumbs token={token} name={shared.name} folder={folder} />
          <p class="soft">
            {folder === "" && (
              <>
                {plural(shared.file_count, "{count} file, {size}", "{count} files, {size}", {
                  size: formatBytes(shared.total_size),
                })}
                {" · "}
              </>
            )}
            <Ends at={shared.expires_at} />
          </p>
        </div>
        <a class="button primary" href={sharedArchive(token, folder)} download>
          <Icon svg={downloadIcon} /> {t("Download as ZIP")}
        </a>
      </header>
      <SharedList token={token} contents={contents} label={folder === "" ? shared.name : nameOf(folder)} />
      {contents.failure !== null && <Failure error={contents.failure} retry={contents.retry} />}
      {readme !== null && (
        <Readme key={readme.path} file={shownFile(readme)} to={sharedAddress(token, readme.path)} />
      )}
      {path !== folder && <SharedPreview token={token} path={path} files={contents.files} onClose={close} />}
    </>
  );
}

interface CrumbsProps {
  readonly token: string;
  /** Of the folder that the link shows. */
  readonly name: string;
  readonly folder: string;
}

/** The way from what the link shows to the folder; the last step is where one is. */
function Crumbs({ token, name, folder }: CrumbsProps) {
  const inside = Array.from(folder.matchAll(/\//g), ({ index }) => folder.slice(0, index + 1));
  return (
    <nav class="crumbs" aria-label={t("Breadcrumb")}>
      <ol>
        {["", ...inside].map((path) => {
          const step = path === "" ? name : nameOf(path);
          return (
            <li key={path}>
              {path !== "" && <Icon svg={chevronIcon} />}
              {path === folder ? (
                <h1 title={plain(step)}>
                  <Name text={step} />
                </h1>
              ) : (
                <Link to={sharedAddress(token, path)} title={plain(step)}>
                  <Name text={step} />
                </Link>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
