import { useEffect, useRef } from "preact/hooks";
import { AUDIT_CATEGORIES, AUDIT_OUTCOMES } from "../../../src/domain/audit/audit-actions.ts";
import { Choice } from "../../components/forms/choice.tsx";
import { type AuditFilter, auditAddress } from "../../lib/audit.ts";
import type { User } from "../../lib/api/types.ts";
import { navigate } from "../../lib/browser/router.tsx";
import { CATEGORY_WORDS } from "../../lib/words/audit-words.ts";
import { t } from "../../lib/words/text.ts";

const USERS = "audit-users";

interface FiltersProps {
  readonly filter: AuditFilter;
  /** Whose names are offered. */
  readonly users: readonly User[];
}

/** Which events are shown: each choice takes effect at once, and stands in the address. */
export function AuditFilters({ filter, users }: FiltersProps) {
  const choose = (part: Partial<AuditFilter>) => navigate(auditAddress({ ...filter, ...part }));
  const account = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (account.current !== null) account.current.value = filter.account;
  }, [filter.account]);
  const chooseAccount = () => {
    const typed = account.current?.value.trim() ?? "";
    if (typed !== filter.account) choose({ account: typed });
  };
  return (
    <search>
      <form
        class="filter-fields audit-filters"
        onSubmit={(event) => {
          event.preventDefault();
          chooseAccount();
        }}
      >
        <Choice
          label={t("About")}
          name="about"
          value={filter.about}
          options={[
            { value: "", text: t("Everything") },
            ...AUDIT_CATEGORIES.map((value) => ({ value, text: t(CATEGORY_WORDS[value]) })),
          ]}
          onChoose={(about) => choose({ about: AUDIT_CATEGORIES.find((each) => each === about) ?? "" })}
        />
        <Choice
          label={t("Outcome")}
          name="outcome"
          value={filter.outcome}
          options={[
            { value: "", text: t("Done or refused") },
            { value: "success", text: t("outcome|Done") },
            { value: "refused", text: t("outcome|Refused") },
          ]}
          onChoose={(outcome) => choose({ outcome: AUDIT_OUTCOMES.find((each) => each === outcome) ?? "" })}
        />
        <label class="field">
          <span>{t("Account")}</span>
          <input
            ref={account}
            class="input"
            type="text"
            name="account"
            autocomplete="off"
            autocapitalize="none"
            spellcheck={false}
            list={USERS}
            placeholder={t("All accounts")}
            onChange={chooseAccount}
          />
          <datalist id={USERS}>
            {users.map(({ id, username }) => (
              <option key={id} value={username} />
            ))}
          </datalist>
        </label>
        <DayField label={t("Since")} name="since" day={filter.since} onDay={(since) => choose({ since })} />
        <DayField label={t("Until")} name="until" day={filter.until} onDay={(until) => choose({ until })} />
      </form>
    </search>
  );
}

interface DayFieldProps {
  readonly label: string;
  readonly name: string;
  /** As in `2030-01-31`; empty for none. */
  readonly day: string;
  readonly onDay: (day: string) => void;
}

/** A day before this one is a year that is still being typed. */
const FIRST_DAY = "2000-01-01";

function DayField({ label, name, day, onDay }: DayFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  // Not by its value: what is typed part by part is no day for a while, and would be gone with the next rendering.
  useEffect(() => {
    if (field.current !== null) field.current.value = day;
  }, [day]);
  return (
    <label class="field">
      <span>{label}</span>
      <input
        ref={field}
        class="input"
        type="date"
        name={name}
        min={FIRST_DAY}
        onChange={({ currentTarget: { validity, value } }) => {
          if (validity.valid) onDay(value);
        }}
      />
    </label>
  );
}
