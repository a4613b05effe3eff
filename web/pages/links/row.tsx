import linkIcon from "lucide-static/icons/link.svg" with { type: "text" };
import lockIcon from "lucide-static/icons/lock.svg" with { type: "text" };
import { By } from "../../components/by.tsx";
import { Icon } from "../../components/icon.tsx";
import { Name } from "../../components/name.tsx";
import { folderAddress } from "../../lib/files/place.ts";
import { parentOf } from "../../lib/files.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { Link } from "../../lib/browser/router.tsx";
import type { Drive, ManagedLink } from "../../lib/api/types.ts";
import { plural, rich, t } from "../../lib/words/text.ts";
import { nameOfLink, whatOf } from "./words.ts";

interface LinkRowProps {
  readonly link: ManagedLink;
  /** Undefined where it is not known. */
  readonly drive: Drive | undefined;
  readonly showsDrive: boolean;
  readonly onShow: () => void;
  readonly onRevoke: () => void;
}

/** A link: what it shows, how often it was used, until when it works. */
export function LinkRow({ link, drive, showsDrive, onShow, onRevoke }: LinkRowProps) {
  const { path, created_at: at, created_by: by, expires_at: until } = link;
  const name = nameOfLink(link);
  return (
    <li class="record">
      <span class="kind">
        <Icon svg={linkIcon} />
      </span>
      <div class="record-what">
        <h2>
          {drive === undefined || path === null ? (
            <Name text={name} />
          ) : (
            <Link to={folderAddress(drive.slug ?? drive.id, path.endsWith("/") ? path : parentOf(path))}>
              <Name text={name} />
            </Link>
          )}
        </h2>
        <p class="soft">
          {showsDrive && drive !== undefined
            ? rich("{what} in {drive}", { what: whatOf(link), drive: <Name text={drive.name} /> })
            : whatOf(link)}
          {link.has_password && (
            <>
              {" "}
              <span class="badge">
                <Icon svg={lockIcon} /> {t("password")}
              </span>
            </>
          )}
        </p>
        {!link.has_url && (
          <p class="soft">{t("Its address was not kept. Make a new link to see it again.")}</p>
        )}
      </div>
      <p class="soft record-when">
        <span title={link.last_used_at === null ? "" : formatTime(link.last_used_at)}>{usesOf(link)}</span>
        <span title={formatTime(until)}>{t("Expires {when}", { when: formatRelative(until) })}</span>
        <span title={formatTime(at)}>
          {rich("Made {when} {by}", { when: formatRelative(at), by: <By by={by} /> })}
        </span>
      </p>
      <div class="record-tools">
        {link.has_url && (
          <button
            type="button"
            class="button"
            aria-label={t("Copy link to {name}", { name: plain(name) })}
            onClick={onShow}
          >
            {t("Copy link")}
          </button>
        )}
        <button
          type="button"
          class="button"
          aria-label={t("Revoke the link to {name}", { name: plain(name) })}
          onClick={onRevoke}
        >
          {t("Revoke")}
        </button>
      </div>
    </li>
  );
}

function usesOf({ uses, last_used_at: last, one_time: isOnce, used_at: used }: ManagedLink): string {
  if (isOnce) return used === null ? t("Not used yet") : t("Used {when}", { when: formatRelative(used) });
  if (uses === 0) return t("Never used");
  if (last === null) return plural(uses, "Used {count} time", "Used {count} times");
  return plural(uses, "Used {count} time, last {when}", "Used {count} times, last {when}", {
    when: formatRelative(last),
  });
}
