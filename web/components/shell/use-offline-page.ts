import { useEffect } from "preact/hooks";
import { useMedia } from "../../lib/browser/media.ts";
import { placeName } from "../../lib/browser/title.ts";
import { shownLanguage } from "../../lib/words/text.ts";

/**
 * Keeps the offline page of the installed dashboard as it should be now. A tab that only visits gets none: what a
 * browser keeps for an address outlasts the server there. Signing out changes nothing, as nobody's data is in it.
 */
export function useOfflinePage(isSignedIn: boolean): void {
  const isInstalled = useMedia("(display-mode: standalone)");
  const language = shownLanguage();
  const name = placeName.value;
  useEffect(() => {
    if (!isInstalled || !isSignedIn || !isSecureContext) return;
    // Where the browser keeps nothing, it shows its own page, as before.
    import("./offline-page.tsx").then((page) => page.keepOfflinePage()).catch(() => {});
  }, [isInstalled, isSignedIn, language, name]);
}
