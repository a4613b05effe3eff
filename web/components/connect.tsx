import { useLayoutEffect, useState } from "preact/hooks";
import { readdress, usePlace } from "../lib/browser/router.tsx";
import { shownPath } from "../lib/browser/shown-address.ts";
import type { MadeKey } from "./connect/key-form.tsx";
import { later } from "./later.tsx";

const ConnectAgent = later(async () => (await import("./connect/connect-agent.tsx")).ConnectAgent);

/** At the end of the address of a drive, or of the page of keys, it opens the dialog that connects an agent. */
export const CONNECT = "?connect";

/** Opens that dialog on the page that one is at. */
export function askToConnect(): void {
  readdress(shownPath() + CONNECT);
}

/** The dialog, once the address has asked for it. */
export function AskedToConnect({ onClose }: { readonly onClose?: () => void }) {
  const { path, query } = usePlace();
  const isAsked = query.has("connect");
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!isAsked) return;
    setOpen(true);
    // Whoever loads the page again, or signs in after somebody else, has not asked.
    readdress(path);
  }, [isAsked, path]);
  // Also one that came after the dialog was closed: nobody could see its secret again.
  const [made, setMade] = useState<MadeKey | null>(null);
  if (!isOpen && made === null) return null;
  const close = () => {
    setOpen(false);
    setMade(null);
    onClose?.();
  };
  return <ConnectAgent made={made} onMade={setMade} onClose={close} />;
}
