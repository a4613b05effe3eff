import { Dialog } from "../dialog.tsx";
import { Visible } from "../name.tsx";
import { rich, t } from "../../lib/words/text.ts";

/** Asks before a link of a document is followed, which may say one thing and lead to another. It opens beside. */
export function LinkQuestion({ href, onClose }: { readonly href: string; readonly onClose: () => void }) {
  const { protocol, host } = new URL(href);
  return (
    <Dialog title={t("Leave for another site?")} onClose={onClose}>
      <p>
        {protocol === "mailto:"
          ? t("This link of the document writes an email to:")
          : rich("This link of the document leads to {host}:", {
              host: <strong class="name">{host}</strong>,
            })}
      </p>
      <p class="link-address">
        <Visible text={href} />
      </p>
      <div class="row">
        <a
          class="button primary"
          href={href}
          target="_blank"
          rel="noopener noreferrer nofollow"
          onClick={onClose}
        >
          {t("Open in a new tab")}
        </a>
        <button type="button" class="button" onClick={onClose} autofocus>
          {t("Cancel")}
        </button>
      </div>
    </Dialog>
  );
}
