import { useState } from "preact/hooks";
import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { ApiError } from "../../lib/api/api.ts";
import type { Drive, Work } from "../../lib/api/types.ts";
import { cancelWork, farOf, stoppedOf } from "../../lib/works.ts";
import type { DriveStore } from "./store/drive.ts";
import { rich, t } from "../../lib/words/text.ts";

/** A line for each large change of a folder that is under way in the drive, with how far it is. */
export function Works({ store, drive }: { readonly store: DriveStore; readonly drive: Drive }) {
  const works = store.works.shown.value;
  const [asked, setAsked] = useState<Work | null>(null);
  return (
    <>
      {works.length > 0 && (
        <ul class="works" aria-label={t("Changes under way")}>
          {works.map((work) => (
            <li key={work.id}>
              <span class="work">
                <What work={work} /> <span class="soft">{farOf(work)}</span>
              </span>
              {work.state === "running" && !store.isReadOnly && (
                <button type="button" class="button quiet" onClick={() => setAsked(work)}>
                  {t("Stop")}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {asked !== null && <StopWork drive={drive} work={asked} onClose={() => setAsked(null)} />}
    </>
  );
}

function What({ work }: { readonly work: Work }) {
  const doing = doingOf(work);
  return work.state === "undoing" ? rich("Stopping: {doing}", { doing }) : doing;
}

/** What a work does, in words. A folder that whoever looks may not see has no name. */
function doingOf({ kind, path, destination_path: to }: Work) {
  const names = { path: <Name text={path ?? "…"} />, to: <Name text={to ?? "…"} /> };
  switch (kind) {
    case "copy":
      return rich("Copying {path} to {to}", names);
    case "move":
      return rich("Moving {path} to {to}", names);
    case "delete":
      return rich("Deleting {path}", names);
    case "restore":
      return rich("Restoring {path}", names);
    case "restore_snapshot":
      return path === "" ? t("Restoring a snapshot") : rich("Restoring {path} from a snapshot", names);
    case "fork":
      return t("Making a new drive");
  }
}

interface StopWorkProps {
  readonly drive: Drive;
  readonly work: Work;
  readonly onClose: () => void;
}

/** Asks before a work is stopped, and says what that leaves. */
function StopWork({ drive, work, onClose }: StopWorkProps) {
  return (
    <ConfirmDialog
      title={t("Stop this?")}
      submit={t("Stop")}
      onConfirm={async () => {
        try {
          await cancelWork(drive.id, work);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
          say(t("It had ended already."));
        }
      }}
      onDone={onClose}
      onClose={onClose}
    >
      <p>
        <strong>
          <What work={work} />
        </strong>
      </p>
      <p>{stoppedOf(work)}</p>
    </ConfirmDialog>
  );
}
