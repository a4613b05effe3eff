import { PLANS } from "../../../src/domain/accounts/roles.ts";
import { Choice } from "../../components/forms/choice.tsx";
import { Field, textOf } from "../../components/forms/form.tsx";
import { ConfirmDialog, FormDialog } from "../../components/forms/form-dialog.tsx";
import { say } from "../../components/toast.tsx";
import type { Setting } from "../../lib/api/types.ts";
import { changeSetting, textOfPlans, valueOf, valuesOfPlans } from "../../lib/server.ts";
import { hintOf, shownValue, wordsOfSetting } from "../../lib/words/setting-words.ts";
import { t } from "../../lib/words/text.ts";

interface Props {
  readonly setting: Setting;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Settings that have a value for each plan. */
const BY_PLAN: readonly string[] = ["rate_limits", "storage_limits"];
/** Settings whose lower values have what is kept deleted. */
const KEEPING: readonly string[] = ["keep_days", "keep_versions"];

function titleOf(setting: Setting): string {
  return wordsOfSetting(setting)?.title ?? setting.variable;
}

/** A form for one setting. */
export function ChangeSetting({ setting, onClose, onDone }: Props) {
  const isByPlan = BY_PLAN.includes(setting.name);
  const read = (values: FormData) =>
    isByPlan
      ? textOfPlans({
          free: textOf(values, "free"),
          pro: textOf(values, "pro"),
          team: textOf(values, "team"),
        })
      : textOf(values, setting.name);
  return (
    <FormDialog
      title={titleOf(setting)}
      submit={t("Save")}
      onSubmit={async (values, headers) => {
        await changeSetting(setting, read(values), headers);
        say(t("Saved. It holds from now on."));
        onDone();
      }}
      onClose={onClose}
    >
      {isByPlan ? <FieldsOfPlans setting={setting} /> : <FieldOf setting={setting} />}
      {KEEPING.includes(setting.name) && <Warning />}
    </FormDialog>
  );
}

function FieldOf({ setting }: { readonly setting: Setting }) {
  const field = { label: t("New value"), name: setting.name, value: valueOf(setting) };
  const hint = hintOf(setting);
  return setting.name === "signups" ? (
    <Choice
      {...field}
      hint={hint}
      options={[
        { value: "closed", text: t("Closed") },
        { value: "open", text: t("signups|Open") },
      ]}
    />
  ) : (
    <Field {...field} hint={hint} required />
  );
}

function FieldsOfPlans({ setting }: { readonly setting: Setting }) {
  const values = { ...valuesOfPlans(setting.default_value), ...valuesOfPlans(valueOf(setting)) };
  return (
    <>
      <p class="soft">{hintOf(setting)}</p>
      {PLANS.map((plan) => (
        <Field key={plan} label={t("Plan {plan}", { plan })} name={plan} value={values[plan] ?? ""} />
      ))}
    </>
  );
}

function Warning() {
  return (
    <p class="notice careful">
      {t("With a lower number, what is over it is deleted within minutes. It can't be brought back.")}
    </p>
  );
}

/** Asks before a setting gets its default again. */
export function SetBack({ setting, onClose, onDone }: Props) {
  const fallback = { ...setting, value: null, source: "default" as const };
  return (
    <ConfirmDialog
      title={t("Set back to default?")}
      submit={t("Set back")}
      onConfirm={(headers) => changeSetting(setting, null, headers)}
      said={t("The default holds from now on.")}
      onDone={onDone}
      onClose={onClose}
    >
      <dl class="server-facts">
        <dt>{titleOf(setting)}</dt>
        <dd>{shownValue(fallback)}</dd>
      </dl>
      {KEEPING.includes(setting.name) && <Warning />}
    </ConfirmDialog>
  );
}
