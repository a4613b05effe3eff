import { useState } from "preact/hooks";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive, Snapshot } from "../../lib/api/types.ts";
import { placeOf } from "../../lib/drive-places.ts";
import { t } from "../../lib/words/text.ts";
import { ForkSnapshot, RestoreSnapshot } from "./dialogs.tsx";

interface SnapshotToolsProps {
  readonly drive: Drive;
  readonly snapshot: Snapshot;
  /** The folder that is looked at; empty for the whole drive. */
  readonly path: string;
  readonly onDone: () => void;
}

/** What can be done with the snapshot that is looked at. */
export function SnapshotTools({ drive, snapshot, path, onDone }: SnapshotToolsProps) {
  const [asked, setAsked] = useState<"restore" | "fork" | null>(null);
  const close = () => setAsked(null);
  return (
    <div class="row">
      <Link to={placeOf("/snapshots", drive.id)} class="button">
        {t("All snapshots")}
      </Link>
      <button type="button" class="button" onClick={() => setAsked("fork")}>
        {t("New drive")}
      </button>
      <button type="button" class="button primary" onClick={() => setAsked("restore")}>
        {path === "" ? t("Restore") : t("Restore this folder")}
      </button>
      {asked === "fork" && <ForkSnapshot snapshot={snapshot} onClose={close} />}
      {asked === "restore" && (
        <RestoreSnapshot
          snapshot={snapshot}
          path={path}
          onClose={close}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </div>
  );
}
