import { FileSign } from "../../components/file-sign.tsx";
import { Name } from "../../components/name.tsx";
import { useLoad } from "../../lib/api/load.ts";
import type { Drive, FileRecord } from "../../lib/api/types.ts";
import { Link } from "../../lib/browser/router.tsx";
import { useSeen } from "../../lib/browser/seen.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { newestFiles, parentOf } from "../../lib/files.ts";
import { fileAddress } from "../../lib/files/place.ts";

const MOST = 5;

/** The files of a drive that were written last, as small pictures. They are loaded once the place is in sight. */
export function NewestFiles({ drive }: { readonly drive: Drive }) {
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  return (
    <div ref={ref} class="newest">
      {isSeen && <Loaded drive={drive} />}
    </div>
  );
}

function Loaded({ drive }: { readonly drive: Drive }) {
  const { loaded } = useLoad(`${drive.id} ${drive.updated_at}`, (signal) =>
    newestFiles(drive.id, MOST, signal),
  );
  // The card says all that must be known without it.
  if (loaded.state !== "ready") return null;
  return (
    <ul>
      {loaded.value.map((file) => (
        <Newest key={file.id} drive={drive} file={file} />
      ))}
    </ul>
  );
}

function Newest({ drive, file }: { readonly drive: Drive; readonly file: FileRecord }) {
  return (
    <li>
      <Link to={fileAddress(drive.slug ?? drive.id, parentOf(file.path), file.id)} title={plain(file.path)}>
        <FileSign file={file} size="medium" />
        <span class="newest-name">
          <Name text={file.filename} />
        </span>
      </Link>
    </li>
  );
}
