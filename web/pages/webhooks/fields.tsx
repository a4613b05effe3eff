import { useState } from "preact/hooks";
import { textOf } from "../../components/forms/form.tsx";
import { Labelled } from "../../components/forms/labelled.tsx";
import { ApiError } from "../../lib/api/api.ts";
import {
  choiceOf,
  EVENT_GROUPS,
  eventsOf,
  GROUPS,
  isPlain,
  type WebhookChoice,
} from "../../lib/webhook-choice.ts";
import { t } from "../../lib/words/text.ts";

/** Where a webhook leads. */
export function UrlField({ url }: { readonly url: string }) {
  const [typed, setTyped] = useState(url);
  return (
    <>
      <Labelled label={t("Address")} name="url" hint={t("Where messages are sent: a server of yours.")}>
        {(control) => (
          <input
            {...control}
            class="input mono"
            type="text"
            name="url"
            inputMode="url"
            required
            autocomplete="off"
            spellcheck={false}
            placeholder="https://agent.example/hook"
            defaultValue={url}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        )}
      </Labelled>
      {isPlain(typed) && (
        <p class="notice careful" role="status">
          {t(
            "With http, whoever is on the way can read the messages. It is only possible at addresses that the server's settings allow.",
          )}
        </p>
      )}
    </>
  );
}

/** Of what a webhook tells. */
export function EventsField({ events }: { readonly events: readonly string[] }) {
  const before = choiceOf(events);
  const [isAll, setAll] = useState(before.isAll);
  const kinds = [
    { isEverything: true, name: t("Everything that happens") },
    { isEverything: false, name: t("Only what I choose") },
  ];
  return (
    <fieldset class="webhook-events">
      <legend>{t("Tell it of")}</legend>
      {kinds.map(({ isEverything, name }) => (
        <label key={name} class="check">
          <input
            type="radio"
            name="all"
            value={isEverything ? "yes" : "no"}
            checked={isAll === isEverything}
            onChange={() => setAll(isEverything)}
          />{" "}
          {name}
        </label>
      ))}
      {!isAll && (
        <ul>
          {GROUPS.map((group) => (
            <li key={group}>
              <label class="check">
                <input
                  type="checkbox"
                  name="group"
                  value={group}
                  defaultChecked={before.groups.includes(group)}
                />
                <span>
                  {t(EVENT_GROUPS[group].name)} <small class="soft">{t(EVENT_GROUPS[group].what)}</small>
                </span>
              </label>
            </li>
          ))}
          {before.others.map((event) => (
            <li key={event}>
              <label class="check">
                <input type="checkbox" name="other" value={event} defaultChecked />
                <span>
                  <code>{event}</code> <small class="soft">{t("Chosen by a program")}</small>
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}

/** What was chosen in the fields. Throws what the form shows if that is nothing. */
export function chosenIn(values: FormData): WebhookChoice {
  const given = (name: string) => values.getAll(name).map(String);
  const events = eventsOf({
    isAll: textOf(values, "all") === "yes",
    groups: GROUPS.filter((group) => given("group").includes(group)),
    others: given("other"),
  });
  if (events.length === 0) throw new ApiError(0, "VALIDATION_ERROR", t("Choose at least one."), "group");
  return { url: textOf(values, "url").trim(), events };
}
