import { asApiError, call } from "../../lib/api/api.ts";
import { t } from "../../lib/words/text.ts";
import { say } from "../toast.tsx";

/** Signs out, for whoever wants to go on here as somebody else. */
export function OtherAccount({ onLeave }: { readonly onLeave: () => void }) {
  const leave = async () => {
    try {
      await call("POST", "/auth/logout", { body: {} });
      onLeave();
    } catch (error) {
      say(asApiError(error).message);
    }
  };
  return (
    <button type="button" class="button quiet" onClick={() => void leave()}>
      {t("Use another account")}
    </button>
  );
}
