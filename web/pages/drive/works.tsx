import { useState } from "preact/hooks";
import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { ApiError } from "../../lib/api/api.ts";
import type { Drive, Work } from "../../lib/api/types.ts";
import { cancelWork, doingOf, farOf, stoppedOf } from "../../lib/works.ts";
import type { DriveStore } from "./store/drive.ts";

/** A line for each large change of a folder that is under way in the drive, with how far it is. */
export function Works({ store, drive }: { readonly store: DriveStore; readonly drive: Drive }) {
  const works = store.works.shown.value;
  const [asked, setAsked] = useState<Work | null>(null);
  return (
    <>
      {works.length > 0 && (
        <ul class="works" aria-label="Changes under way">
          {works.map((work) => (
            <li key={work.id}>
              <span class="work">
                <What work={work} /> <span class="soft">{farOf(work)}</span>
              </span>
              {work.state === "running" && !store.isReadOnly && (
                <button type="button" class="button quiet" onClick={() => setAsked(work)}>
                  Stop
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
  const { path, destination_path: to } = work;
  return (
    <>
      {doingOf(work)}
      {path !== null && path !== "" && (
        <>
          {" "}
          <Name text={path} />
        </>
      )}
      {to !== null && (
        <>
          {" to "}
          <Name text={to} />
        </>
      )}
    </>
  );
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
      title="Stop this?"
      submit="Stop"
      onConfirm={async () => {
        try {
          await cancelWork(drive.id, work);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
          say("It had ended already.");
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
