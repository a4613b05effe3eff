import { Dialog } from "../../components/dialog.tsx";
import { Failure } from "../../components/failure.tsx";
import { MadeLink } from "../../components/made-link.tsx";
import { useLoad } from "../../lib/api/load.ts";
import type { ManagedLink } from "../../lib/api/types.ts";
import { plain } from "../../lib/contents/overrides.ts";
import { linkAddress } from "../../lib/links.ts";
import { t } from "../../lib/words/text.ts";
import { nameOfLink } from "./words.ts";

/** Shows the address of a link again, and copies it. */
export function ShowLink({ link, onClose }: { readonly link: ManagedLink; readonly onClose: () => void }) {
  const { loaded, reload } = useLoad(link.id, (signal) => linkAddress(link.id, signal));
  return (
    <Dialog title={t("Link to {name}", { name: plain(nameOfLink(link)) })} onClose={onClose}>
      {loaded.state === "loading" && <p class="soft">{t("Loading…")}</p>}
      {loaded.state === "failed" && <Failure error={loaded.error} retry={reload} />}
      {loaded.state === "ready" && (
        <MadeLink link={{ url: loaded.value, expires_at: link.expires_at }} onClose={onClose} />
      )}
    </Dialog>
  );
}
