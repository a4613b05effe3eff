import { PLANS } from "../../../src/domain/accounts/roles.ts";
import { useState } from "preact/hooks";
import { Avatar } from "../../components/by.tsx";
import { Failure } from "../../components/failure.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { type ApiError, asApiError } from "../../lib/api/api.ts";
import { formatBytes, formatDay } from "../../lib/words/format.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { User } from "../../lib/api/types.ts";
import { changeUser, type SignInDetails } from "../../lib/users.ts";
import { plural, t } from "../../lib/words/text.ts";
import { Appoint, DeleteUser, Disable, ResetPassword } from "./user-dialogs.tsx";
import { type UserAction, UserMenu } from "./user-menu.tsx";

interface Props {
  readonly user: User;
  readonly onChanged: () => void;
}

interface RowProps extends Props {
  /** The usernames of who can get the drives of this user, best first. */
  readonly heirs: readonly string[];
  readonly onReset: (details: SignInDetails) => void;
}

/** A user, their plan, and whether they can sign in. */
export function UserRow({ user, heirs, onReset, onChanged }: RowProps) {
  const [asked, setAsked] = useState<UserAction | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const enable = async () => {
    setError(null);
    try {
      await changeUser(user, { disabled: false });
      say(t("{name} can sign in again.", { name: user.username }));
      onChanged();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  const onClose = () => setAsked(null);
  const ends = {
    user,
    onClose,
    onDone: () => {
      onClose();
      onChanged();
    },
  };
  return (
    <li class={`user ${user.disabled ? "is-disabled" : ""}`}>
      <About user={user} />
      <p class="user-holds soft">
        {plural(user.drive_count, "{count} drive, {size}", "{count} drives, {size}", {
          size: formatBytes(user.total_size),
        })}
      </p>
      <PlanChoice user={user} onChanged={onChanged} onError={setError} />
      <UserMenu user={user} onChoose={(action) => (action === "enable" ? void enable() : setAsked(action))} />
      {error !== null && (
        <div class="user-wide">
          <Failure error={error} />
        </div>
      )}
      {asked === "reset" && <ResetPassword {...ends} onReset={onReset} />}
      {asked === "appoint" && <Appoint {...ends} />}
      {asked === "disable" && <Disable {...ends} />}
      {asked === "delete" && <DeleteUser {...ends} heirs={heirs} />}
    </li>
  );
}

function About({ user }: { readonly user: User }) {
  const { username, display_name: name, email, created_at: since, has_password: local } = user;
  return (
    <div class="user-about">
      <h2 class="row">
        <Avatar by={{ type: "user", name: username }} />
        {username} {user.admin && <span class="standing">{t("Admin")}</span>}
        {user.disabled && <span class="standing careful">{t("Disabled")}</span>}
      </h2>
      <p class="soft">
        {name !== null && (
          <>
            <Name text={name} /> ·{" "}
          </>
        )}
        {email !== null && (
          <>
            <Name text={email} /> ·{" "}
          </>
        )}
        {local ? t("signs in with a password") : t("signs in with the provider")} ·{" "}
        {t("joined {day}", { day: formatDay(since) })}
      </p>
    </div>
  );
}

interface PlanProps extends Props {
  readonly onError: (error: ApiError | null) => void;
}

function PlanChoice({ user, onChanged, onError }: PlanProps) {
  const { account, refresh } = useSession();
  const choose = async (select: HTMLSelectElement) => {
    const plan = PLANS.find((each) => each === select.value);
    if (plan === undefined) return;
    onError(null);
    try {
      await changeUser(user, { plan });
      say(t("{name} is now on the {plan} plan.", { name: user.username, plan }));
      onChanged();
      if (user.id === account.id) refresh();
    } catch (caught) {
      select.value = user.plan;
      onError(asApiError(caught));
    }
  };
  return (
    <label class="user-plan">
      <span aria-hidden="true">{t("Plan")}</span>
      <select
        class="input"
        aria-label={t("Plan of {name}", { name: user.username })}
        onChange={(event) => void choose(event.currentTarget)}
      >
        {PLANS.map((plan) => (
          <option key={plan} value={plan} selected={plan === user.plan}>
            {plan}
          </option>
        ))}
      </select>
    </label>
  );
}
