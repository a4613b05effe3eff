import { useRef } from "preact/hooks";
import type { ApiError } from "../lib/api.ts";
import { useFocusHandedOn } from "../lib/focus.ts";

interface Props {
  readonly error: ApiError;
  /** For a field to refer to it. */
  readonly id?: string;
  readonly retry?: () => void;
}

/** Says in words what went wrong, with what finds it in the server's log. */
export function Failure({ error, id, retry }: Props) {
  const notice = useRef<HTMLDivElement>(null);
  useFocusHandedOn(notice);
  return (
    <div ref={notice} class="notice bad" role="alert" {...(id === undefined ? {} : { id })}>
      <p>{error.message}</p>
      {error.requestId !== undefined && <p class="soft">Request {error.requestId}</p>}
      {retry !== undefined && (
        <div>
          <button type="button" class="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}
