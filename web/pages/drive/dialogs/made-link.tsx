import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Labelled } from "../../../components/forms/labelled.tsx";
import { say } from "../../../components/toast.tsx";
import { copyText } from "../../../lib/browser/clipboard-copy.ts";
import { formatTime } from "../../../lib/words/format.ts";

interface MadeLinkProps {
  readonly link: { readonly url: string; readonly expires_at: string };
  readonly onClose: () => void;
  /** What else is to be known of it. */
  readonly children?: ComponentChildren;
}

/** A link that was just made, to be copied: it is not shown again. */
export function MadeLink({ link, onClose, children }: MadeLinkProps) {
  const [refusal, setRefusal] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  // The button that had the focus is gone with the form.
  useLayoutEffect(() => input.current?.focus(), []);
  const copy = async () => {
    try {
      await copyText(link.url);
      say("Link copied.");
      onClose();
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Labelled
        label="Link"
        name="url"
        hint={`Expires ${formatTime(link.expires_at)}. It won't be shown again.`}
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
      {refusal !== null && (
        <p class="notice bad" role="alert">
          {refusal}
        </p>
      )}
      {children}
      <div class="row">
        <button type="button" class="button primary" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </div>
    </>
  );
}
