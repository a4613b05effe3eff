import { type Plan, PLANS } from "../../../src/domain/accounts/roles.ts";
import { useState } from "preact/hooks";
import { Failure } from "../../components/failure.tsx";
import { ConfirmDialog } from "../../components/forms/form-dialog.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { type ApiError, asApiError, call } from "../../lib/api/api.ts";
import { formatBytes, formatCount, formatDay } from "../../lib/words/format.ts";
import { useSession } from "../../lib/api/session.tsx";
import type { User } from "../../lib/api/types.ts";

interface Props {
  readonly user: User;
  readonly onChanged: () => void;
}

type Change = { readonly plan: Plan } | { readonly disabled: boolean };

function change({ id }: User, body: Change): Promise<unknown> {
  return call("PATCH", `/v0/users/${id}`, { body });
}

/** A user, their plan, and whether they can sign in. */
export function UserRow({ user, onChanged }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const enable = async () => {
    setError(null);
    try {
      await change(user, { disabled: false });
      say(`${user.username} can sign in again.`);
      onChanged();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <li class={`user ${user.disabled ? "is-disabled" : ""}`}>
      <About user={user} />
      <p class="user-holds soft">
        {formatCount(user.drive_count, "drive")}, {formatBytes(user.total_size)}
      </p>
      <PlanChoice user={user} onChanged={onChanged} onError={setError} />
      {user.admin ? (
        <span class="standing">Admin</span>
      ) : (
        <button
          type="button"
          class="button"
          onClick={() => (user.disabled ? void enable() : setAsking(true))}
        >
          {user.disabled ? "Enable" : "Disable"}
          <span class="hidden-visually"> {user.username}</span>
        </button>
      )}
      {error !== null && (
        <div class="user-wide">
          <Failure error={error} />
        </div>
      )}
      {isAsking && (
        <Disable
          user={user}
          onClose={() => setAsking(false)}
          onDone={() => {
            setAsking(false);
            onChanged();
          }}
        />
      )}
    </li>
  );
}

function About({ user }: { readonly user: User }) {
  const { username, display_name: name, email, created_at: since, disabled, has_password: local } = user;
  return (
    <div class="user-about">
      <h2 class="row">
        {username} {disabled && <span class="standing careful">Disabled</span>}
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
        {local ? "signs in with a password" : "signs in with the provider"} · joined {formatDay(since)}
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
      await change(user, { plan });
      say(`${user.username} is now on the ${plan} plan.`);
      onChanged();
      if (user.id === account.id) refresh();
    } catch (caught) {
      select.value = user.plan;
      onError(asApiError(caught));
    }
  };
  return (
    <label class="user-plan">
      <span>
        Plan<span class="hidden-visually"> of {user.username}</span>
      </span>
      <select class="input" onChange={(event) => void choose(event.currentTarget)}>
        {PLANS.map((plan) => (
          <option key={plan} value={plan} selected={plan === user.plan}>
            {plan}
          </option>
        ))}
      </select>
    </label>
  );
}

interface DisableProps {
  readonly user: User;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Disable({ user, onClose, onDone }: DisableProps) {
  return (
    <ConfirmDialog
      title={`Disable ${user.username}?`}
      submit="Disable"
      onConfirm={() => change(user, { disabled: true })}
      said={`${user.username} is disabled.`}
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        This signs them out everywhere and stops their keys at once. Their drives are kept, and you can enable
        them again.
      </p>
    </ConfirmDialog>
  );
}
