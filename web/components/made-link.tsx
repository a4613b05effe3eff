import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Labelled } from "./forms/labelled.tsx";
import { asApiError } from "../lib/api/api.ts";
import { copyText } from "../lib/browser/clipboard-copy.ts";
import { formatTime } from "../lib/words/format.ts";
import { t } from "../lib/words/text.ts";

interface MadeLinkProps {
  readonly link: { readonly url: string; readonly expires_at: string };
  readonly onClose: () => void;
  /** What else is to be known of it. */
  readonly children?: ComponentChildren;
}

type Copying = { readonly state: "asked" | "copied" } | { readonly state: "refused"; readonly why: string };

/** The address of a link, which is copied as soon as it is shown. */
export function MadeLink({ link, onClose, children }: MadeLinkProps) {
  const [copying, setCopying] = useState<Copying>({ state: "asked" });
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    try {
      await copyText(link.url);
      setCopying({ state: "copied" });
    } catch (error) {
      setCopying({ state: "refused", why: asApiError(error).message });
    }
  };
  useLayoutEffect(() => {
    // The button that had the focus is gone with the form.
    input.current?.focus();
    void copy();
  }, []);
  return (
    <>
      <Labelled
        label={t("Link")}
        name="url"
        hint={t("Expires {when}.", { when: formatTime(link.expires_at) })}
      >
        {(control) => (
          <input
            {...control}
            ref={input}
            class="input mono"
            readOnly
            value={link.url}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </Labelled>
      <p role="status">{copying.state === "copied" && t("Copied to the clipboard.")}</p>
      {copying.state === "refused" && (
        <p class="notice bad" role="alert">
          {copying.why}
        </p>
      )}
      {children}
      <div class="row">
        <button type="button" class="button primary" onClick={onClose}>
          {t("Done")}
        </button>
        <button type="button" class="button" onClick={() => void copy()}>
          {t("Copy again")}
        </button>
      </div>
    </>
  );
}
