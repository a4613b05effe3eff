import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { ApiError } from "../lib/api/api.ts";
import { useFocusHandedOn } from "../lib/browser/focus.ts";
import { t } from "../lib/words/text.ts";

interface Props {
  readonly error: ApiError;
  /** Lets a field refer to it. */
  readonly id?: string;
  readonly retry?: () => void;
  /** What else is to be said. */
  readonly children?: ComponentChildren;
}

/** Shows an error's message and the request id that finds it in the server's log. */
export function Failure({ error, id, retry, children }: Props) {
  const notice = useRef<HTMLDivElement>(null);
  useFocusHandedOn(notice);
  return (
    <div ref={notice} class="notice bad" role="alert" {...(id === undefined ? {} : { id })}>
      <p>{error.message}</p>
      {children}
      {error.requestId !== undefined && <p class="soft">{t("Request {id}", { id: error.requestId })}</p>}
      {retry !== undefined && (
        <div>
          <button type="button" class="button" onClick={retry}>
            {t("Try again")}
          </button>
        </div>
      )}
    </div>
  );
}
