import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type ApiError, asApiError, isPassing, waitedOut } from "../../lib/api/api.ts";
import { Attempts } from "../../lib/api/attempts.ts";
import { fieldOf, FormFailureContext } from "../../lib/api/form-failure.ts";
import { t } from "../../lib/words/text.ts";
import { Failure } from "../failure.tsx";
import { Labelled } from "./labelled.tsx";

export interface FormProps {
  readonly submit: string;
  readonly danger?: boolean;
  /**
   * Sends the form; an error is shown in it. The headers in `once` have an Idempotency-Key, so that sending the
   * same values again after a lost answer changes nothing twice.
   */
  readonly onSubmit: (values: FormData, once: Readonly<Record<string, string>>) => Promise<void>;
  readonly onCancel?: () => void;
  readonly children: ComponentChildren;
}

/** How often a form is sent at most by one press. */
const MOST_TRIES = 20;

/**
 * A form that shows why it failed and focuses the field at fault. While it is busy, its button does nothing. What the
 * server has no answer to now is sent again once it has, unless the form is closed or changed before.
 */
export function Form({ submit, danger = false, onSubmit, onCancel, children }: FormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const [attempts] = useState(() => new Attempts());
  const id = useId();
  useLayoutEffect(() => {
    const name = error === null ? undefined : fieldOf(error);
    const field = name === undefined ? null : form.current?.elements.namedItem(name);
    if (field instanceof HTMLElement) field.focus();
  }, [error]);
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // A confirmation without fields starts with the focus on Cancel.
    const controls = Array.from(form.current?.elements ?? []);
    if (danger && controls.every((control) => control instanceof HTMLButtonElement)) {
      cancel.current?.setAttribute("autofocus", "");
    }
  }, []);
  const waiting = useRef<AbortController | null>(null);
  const stopWaiting = () => waiting.current?.abort();
  useLayoutEffect(() => stopWaiting, []);
  const send = async (values: FormData, tries = 1): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await onSubmit(values, { "idempotency-key": attempts.keyFor(values) });
    } catch (caught) {
      const refusal = asApiError(caught);
      setError(refusal);
      void sendAgain(values, tries, refusal);
    } finally {
      setBusy(false);
    }
  };
  const sendAgain = async (values: FormData, tries: number, refusal: ApiError): Promise<void> => {
    if (!isPassing(refusal) || tries === MOST_TRIES || form.current === null) return;
    const abort = new AbortController();
    waiting.current = abort;
    const isOver = await waitedOut(refusal, tries, abort.signal).catch(() => false);
    if (isOver) await send(values, tries + 1);
  };
  const press = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement) || busy) return;
    stopWaiting();
    void send(new FormData(event.currentTarget));
  };
  return (
    <form ref={form} onSubmit={press} onInput={stopWaiting} class="dialog-body">
      <FormFailureContext.Provider value={error === null ? null : { field: fieldOf(error), id }}>
        {children}
      </FormFailureContext.Provider>
      {error !== null && (
        <Failure error={error} id={id}>
          {isPassing(error) && (
            <p class="soft">{t("It is sent again by itself, unless you change or close this.")}</p>
          )}
        </Failure>
      )}
      <div class="row">
        {/* Not `disabled`, which would take the focus away. */}
        <button class={`button ${danger ? "danger" : "primary"}`} aria-disabled={busy}>
          {submit}
        </button>
        {onCancel !== undefined && (
          <button ref={cancel} type="button" class="button" onClick={onCancel}>
            {t("Cancel")}
          </button>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly type?: "text" | "password";
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  /** The initial value. */
  readonly value?: string;
}

/** A labelled text input. */
export function Field({
  label,
  name,
  hint,
  type = "text",
  required = false,
  autocomplete = "off",
  placeholder,
  value = "",
}: FieldProps) {
  const input = { class: "input", name, required, autocomplete, placeholder, defaultValue: value };
  return (
    <Labelled label={label} name={name} hint={hint}>
      {(control) =>
        type === "password" ? (
          <input type="password" {...control} {...input} />
        ) : (
          <input type="text" {...control} {...input} />
        )
      }
    </Labelled>
  );
}

/** The text in a field of a form; empty if there is no such field. */
export function textOf(values: FormData, name: string): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}
