import snapshotIcon from "lucide-static/icons/camera.svg" with { type: "text" };
import { By } from "../../components/by.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { formatBytes, formatRelative, formatTime } from "../../lib/words/format.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Snapshot } from "../../lib/api/types.ts";
import { plural, t } from "../../lib/words/text.ts";
import { compareAddress, insideAddress } from "./addresses.ts";

interface SnapshotRowProps {
  readonly snapshot: Snapshot;
  /** Whether whoever looks may delete it. */
  readonly isManaged: boolean;
  readonly onRestore: () => void;
  readonly onDelete: () => void;
}

/** A snapshot: what it holds, when it was taken and by whom. */
export function SnapshotRow({ snapshot, isManaged, onRestore, onDelete }: SnapshotRowProps) {
  const { name, created_at: at, created_by: by, automatic } = snapshot;
  const about = plain(name);
  return (
    <li class="record">
      <span class="kind">
        <Icon svg={snapshotIcon} />
      </span>
      <div class="record-what">
        <h2>
          <Link to={insideAddress(snapshot, "")}>
            <Name text={name} />
          </Link>
        </h2>
        <p class="soft">
          {plural(snapshot.file_count, "{count} file, {size}", "{count} files, {size}", {
            size: formatBytes(snapshot.total_size),
          })}
        </p>
      </div>
      <p class="soft record-when">
        <span title={formatTime(at)}>
          {automatic
            ? t("Taken before a restore {when}", { when: formatRelative(at) })
            : t("Taken {when}", { when: formatRelative(at) })}
        </span>
        <span>
          <By by={by} />
        </span>
      </p>
      <div class="record-tools">
        <Link
          to={compareAddress(snapshot)}
          class="button"
          aria-label={t("Compare {name} with now", { name: about })}
        >
          {t("Compare")}
        </Link>
        <button
          type="button"
          class="button"
          aria-label={t("Restore {name}", { name: about })}
          onClick={onRestore}
        >
          {t("Restore")}
        </button>
        {isManaged && (
          <button
            type="button"
            class="button quiet"
            aria-label={t("Delete {name}", { name: about })}
            onClick={onDelete}
          >
            {t("Delete")}
          </button>
        )}
      </div>
    </li>
  );
}
