import { useState } from "preact/hooks";
import { By } from "../../../components/by.tsx";
import { Comparison } from "../../../components/comparison.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { Failure } from "../../../components/failure.tsx";
import { say } from "../../../components/toast.tsx";
import { asApiError } from "../../../lib/api/api.ts";
import { keepsVersions } from "../../../lib/api/account.ts";
import { describeEntries, downloadAddress, fileEntry } from "../../../lib/files.ts";
import { formatBytes, formatRelative, formatTime } from "../../../lib/words/format.ts";
import { usePages } from "../../../lib/api/pages.ts";
import { useSession } from "../../../lib/api/session.tsx";
import type { FileRecord, Version } from "../../../lib/api/types.ts";
import { Known, LabelButton, type Labelled } from "./label.tsx";
import { listVersions, restoreVersion, versionAddress } from "../../../lib/versions.ts";
import type { DriveStore } from "../store/drive.ts";
import { rich, t } from "../../../lib/words/text.ts";

interface VersionsDialogProps {
  readonly file: FileRecord;
  readonly store: DriveStore;
  readonly onClose: () => void;
}

/** What a file held before: to be compared with what it holds now, downloaded, and brought back. */
export function VersionsDialog({ file, store, onClose }: VersionsDialogProps) {
  // As the file is by now: a version may be brought back, or another may come, while the dialog is open.
  const [now, setNow] = useState(file);
  const [present, setPresent] = useState<Labelled | null>(null);
  const { loaded, reload, more } = usePages(`versions ${now.content_hash}`, async (part, signal) => {
    const page = await listVersions(file.id, part, signal);
    setPresent({ version: page.current_version, label: page.current_label, message: page.current_message });
    return page;
  });
  const { account } = useSession();
  const [compared, setCompared] = useState<number | null>(null);
  const restore = async ({ version }: Version) => {
    try {
      const restored = await restoreVersion(file.id, version);
      store.fileChanged(restored);
      setCompared(null);
      setNow(restored);
      say(
        t("Version {version} is the current content again. What was there before is kept as a version.", {
          version: String(version),
        }),
      );
    } catch (error) {
      say(asApiError(error).message);
      reload();
    }
  };
  return (
    <Dialog
      title={t("Versions of {name}", { name: describeEntries([fileEntry(file)]) })}
      isWide
      onClose={onClose}
    >
      <ul class="list versions">
        <li class="row version">
          <div class="record-what">
            <h3>{t("Current")}</h3>
            <p class="soft" title={formatTime(now.updated_at)}>
              {t("{size}, changed {when}", {
                size: formatBytes(now.size),
                when: formatRelative(now.updated_at),
              })}
            </p>
            {present !== null && <Known version={present} />}
          </div>
          <div class="record-tools">
            {present !== null && <LabelButton file={file} version={present} onLabelled={reload} />}
            <a class="button quiet" href={downloadAddress(file.id)} download={file.filename}>
              {t("Download")}
            </a>
          </div>
        </li>
        {loaded.state === "ready" &&
          loaded.value.data.map((version) => (
            <VersionRow
              key={version.version}
              file={now}
              version={version}
              isCompared={compared === version.version}
              onCompare={() => setCompared(compared === version.version ? null : version.version)}
              onRestore={() => void restore(version)}
              onLabelled={reload}
            />
          ))}
      </ul>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && loaded.value.data.length === 0 && (
        <p class="soft">
          {keepsVersions(account)
            ? t("This file has no earlier versions. Each change of its content keeps one.")
            : t("This server keeps no earlier versions of files.")}
        </p>
      )}
      <div class="row">
        <button type="button" class="button" onClick={onClose}>
          {t("Close")}
        </button>
        {loaded.state === "ready" && loaded.value.hasMore && (
          <button type="button" class="button" onClick={more}>
            {t("Show more")}
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface VersionRowProps {
  /** As it is now. */
  readonly file: FileRecord;
  readonly version: Version;
  readonly isCompared: boolean;
  readonly onCompare: () => void;
  readonly onRestore: () => void;
  readonly onLabelled: () => void;
}

function VersionRow({ file, version, isCompared, onCompare, onRestore, onLabelled }: VersionRowProps) {
  const { version: number, size, replaced_at: at, replaced_by: by } = version;
  const named = { version: String(number) };
  return (
    <li class="row version">
      <div class="record-what">
        <h3>{t("Version {version}", named)}</h3>
        <p class="soft" title={formatTime(at)}>
          {rich("{size}, replaced {when} {by}", {
            size: formatBytes(size),
            when: formatRelative(at),
            by: <By by={by} />,
          })}
        </p>
        <Known version={version} />
      </div>
      <div class="record-tools">
        <LabelButton file={file} version={version} onLabelled={onLabelled} />
        <button
          type="button"
          class="button quiet"
          aria-expanded={isCompared}
          aria-label={t("Compare version {version} with the current content", named)}
          onClick={onCompare}
        >
          {t("Compare")}
        </button>
        <a
          class="button quiet"
          href={versionAddress(file.id, number)}
          download={file.filename}
          aria-label={t("Download version {version}", named)}
        >
          {t("Download")}
        </a>
        <button
          type="button"
          class="button"
          aria-label={t("Restore version {version}", named)}
          onClick={onRestore}
        >
          {t("Restore")}
        </button>
      </div>
      {isCompared && (
        <div class="version-diff">
          <Comparison
            key={file.content_hash}
            id={file.id}
            compared={{ from: number }}
            label={t("From version {version} to the current content", named)}
          />
        </div>
      )}
    </li>
  );
}
