import { useState } from "preact/hooks";
import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { Form } from "../../components/form.tsx";
import { Name } from "../../components/name.tsx";
import { say } from "../../components/toast.tsx";
import { type ApiError, call } from "../../lib/api.ts";
import { formatBytes, formatCount, formatDay } from "../../lib/format.ts";
import { asApiError } from "../../lib/load.ts";
import { useSession } from "../../lib/session.tsx";
import { type Person, type Plan, PLANS } from "../../lib/types.ts";

interface Props {
  readonly person: Person;
  readonly onChanged: () => void;
}

type Change = { readonly plan: Plan } | { readonly disabled: boolean };

function change({ id }: Person, body: Change): Promise<unknown> {
  return call("PATCH", `/v0/users/${id}`, { body });
}

/** A user, their plan, and whether they can sign in. */
export function PersonRow({ person, onChanged }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const enable = async () => {
    setError(null);
    try {
      await change(person, { disabled: false });
      say(`${person.username} can sign in again.`);
      onChanged();
    } catch (caught) {
      setError(asApiError(caught));
    }
  };
  return (
    <li class={`person ${person.disabled ? "is-disabled" : ""}`}>
      <About person={person} />
      <p class="person-holds soft">
        {formatCount(person.drive_count, "drive")}, {formatBytes(person.total_size)}
      </p>
      <PlanChoice person={person} onChanged={onChanged} onError={setError} />
      {person.admin ? (
        <span class="standing">Admin</span>
      ) : (
        <button
          type="button"
          class="button"
          onClick={() => (person.disabled ? void enable() : setAsking(true))}
        >
          {person.disabled ? "Enable" : "Disable"}
          <span class="hidden-visually"> {person.username}</span>
        </button>
      )}
      {error !== null && (
        <div class="person-wide">
          <Failure error={error} />
        </div>
      )}
      {isAsking && (
        <Disable
          person={person}
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

function About({ person }: { readonly person: Person }) {
  const { username, display_name: name, email, created_at: since, disabled, has_password: local } = person;
  return (
    <div class="person-about">
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

function PlanChoice({ person, onChanged, onError }: PlanProps) {
  const { account, refresh } = useSession();
  const choose = async (select: HTMLSelectElement) => {
    const plan = PLANS.find((each) => each === select.value);
    if (plan === undefined) return;
    onError(null);
    try {
      await change(person, { plan });
      say(`${person.username} is now on the ${plan} plan.`);
      onChanged();
      if (person.id === account.id) refresh();
    } catch (caught) {
      select.value = person.plan;
      onError(asApiError(caught));
    }
  };
  return (
    <label class="person-plan">
      <span>
        Plan<span class="hidden-visually"> of {person.username}</span>
      </span>
      <select class="input" onChange={(event) => void choose(event.currentTarget)}>
        {PLANS.map((plan) => (
          <option key={plan} value={plan} selected={plan === person.plan}>
            {plan}
          </option>
        ))}
      </select>
    </label>
  );
}

interface DisableProps {
  readonly person: Person;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Disable({ person, onClose, onDone }: DisableProps) {
  return (
    <Dialog title={`Disable ${person.username}?`} onClose={onClose}>
      <Form
        submit="Disable"
        danger
        onCancel={onClose}
        onSubmit={async () => {
          await change(person, { disabled: true });
          say(`${person.username} is disabled.`);
          onDone();
        }}
      >
        <p>
          This signs them out everywhere and stops their keys at once. Their drives are kept, and you can
          enable them again.
        </p>
      </Form>
    </Dialog>
  );
}
