import type { ApiError } from "../lib/api.ts";

/** Says in words what went wrong, with what finds it in the server's log. */
export function Failure({ error, retry }: { readonly error: ApiError; readonly retry?: () => void }) {
  return (
    <div class="notice bad" role="alert">
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
