import { useState } from "preact/hooks";
import { Avatar, By } from "../../components/by.tsx";
import { Failure } from "../../components/failure.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { type ApiError, asApiError, call } from "../../lib/api/api.ts";
import { formatRelative, formatTime } from "../../lib/words/format.ts";
import type { Drive, Member } from "../../lib/api/types.ts";
import { rich, t } from "../../lib/words/text.ts";
import { asRole, NOW, ROLES } from "./roles.ts";

interface MemberRowProps {
  readonly drive: Drive;
  readonly member: Member;
  /** Whether it is whoever looks. */
  readonly isSelf: boolean;
  readonly canManage: boolean;
  readonly onChanged: () => void;
  readonly onRemove: () => void;
}

/** Somebody who may use the drive, and what they may do. */
export function MemberRow({ drive, member, isSelf, canManage, onChanged, onRemove }: MemberRowProps) {
  const [error, setError] = useState<ApiError | null>(null);
  const { username, role, created_at: since, created_by: by } = member;
  const change = async (value: string) => {
    setError(null);
    try {
      const body = { role: asRole(value) };
      await call("PATCH", `/v0/drives/${drive.id}/members/${member.user_id}`, { body, untilAnswered: true });
      say(t(NOW[body.role], { name: username }));
    } catch (caught) {
      setError(asApiError(caught));
    }
    onChanged();
  };
  return (
    <li class="record">
      <Avatar by={{ type: "user", name: username }} />
      <div class="record-what">
        <h2>
          <Name text={username} />
          {isSelf && <span class="soft"> {t("(you)")}</span>}
        </h2>
        <p class="soft" title={formatTime(since)}>
          {rich("Added {when} {by}", { when: formatRelative(since), by: <By by={by} /> })}
        </p>
      </div>
      <div class="record-when">
        {canManage ? (
          <select
            class="input"
            aria-label={t("What {name} may do", { name: username })}
            value={role}
            onChange={(event) => void change(event.currentTarget.value)}
          >
            {Object.entries(ROLES).map(([value, text]) => (
              <option key={value} value={value}>
                {t(text)}
              </option>
            ))}
          </select>
        ) : (
          <p class="soft">{t(ROLES[role])}</p>
        )}
      </div>
      <div class="record-tools">
        {(canManage || isSelf) && (
          <button
            type="button"
            class="button"
            aria-label={isSelf ? t("Leave this drive") : t("Remove {name}", { name: username })}
            onClick={onRemove}
          >
            {isSelf ? t("Leave") : t("Remove")}
          </button>
        )}
      </div>
      {error !== null && (
        <div class="record-wide">
          <Failure error={error} />
        </div>
      )}
    </li>
  );
}
