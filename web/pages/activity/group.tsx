import { useState } from "preact/hooks";
import { By } from "../../components/by.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { First } from "../../components/first.tsx";
import { UndoChanges } from "../../components/undo-changes.tsx";
import { canUndo } from "../../lib/activity.ts";
import type { Group } from "../../lib/activity-groups.ts";
import type { Drive } from "../../lib/api/types.ts";
import type { Fate } from "../../lib/fates.ts";
import { describeMany } from "../../lib/words/change-words.ts";
import { Link } from "../../lib/browser/router.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { t } from "../../lib/words/text.ts";
import { iconOf } from "./icons.ts";
import { ChangeRow } from "./row.tsx";
import { When } from "../../components/when.tsx";

interface GroupRowProps {
  readonly group: Group;
  readonly drive: Drive;
  readonly fates: ReadonlyMap<string, Fate>;
}

/** What somebody did to many files at once, as one entry; opened, it shows each. */
export function GroupRow({ group, drive, fates }: GroupRowProps) {
  const [isOpen, setOpen] = useState(false);
  const [isUndoing, setUndoing] = useState(false);
  const { kind, changes, folder } = group;
  const [newest] = changes;
  if (newest === undefined) return null;
  const files = new Set(changes.map(({ file_id: id }) => id)).size;
  const what = describeMany(kind, files, null).join("");
  const undoable = drive.role === "reader" ? [] : changes.filter(canUndo);
  return (
    <li class="change">
      <span class="kind">
        <Icon svg={iconOf(newest.type)} />
      </span>
      <p class="change-what">
        {folder === ""
          ? what
          : describeMany(
              kind,
              files,
              <Link to={folderAddress(drive.slug ?? drive.id, folder)}>
                <Name text={folder} />
              </Link>,
            )}
      </p>
      {newest.message !== null && (
        <p class="change-why">
          <Name text={newest.message} />
        </p>
      )}
      <p class="soft change-when">
        <When at={newest.at} /> <By by={newest.by} />
      </p>
      <div class="change-tools">
        <button
          type="button"
          class="button quiet"
          aria-expanded={isOpen}
          aria-label={isOpen ? t("Hide: {what}", { what }) : t("Show: {what}", { what })}
          onClick={() => setOpen((was) => !was)}
        >
          {isOpen ? t("Hide") : t("Show")}
        </button>
        {undoable.length > 0 && (
          <button
            type="button"
            class="button quiet"
            aria-label={t("Undo: {what}", { what })}
            onClick={() => setUndoing(true)}
          >
            {t("Undo")}
          </button>
        )}
      </div>
      {isOpen && (
        <div class="change-more">
          <First of={changes}>
            {(some) => (
              <ul class="list">
                {some.map((change) => (
                  <ChangeRow key={change.id} change={change} drive={drive} fate={fates.get(change.id)} />
                ))}
              </ul>
            )}
          </First>
        </div>
      )}
      {isUndoing && <UndoChanges drive={drive} changes={undoable} onClose={() => setUndoing(false)} />}
    </li>
  );
}
