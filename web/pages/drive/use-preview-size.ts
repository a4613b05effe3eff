import { useState } from "preact/hooks";
import { useMedia } from "../../lib/browser/media.ts";
import { chooseLarge, isLargeChosen } from "../../lib/browser/preview-choice.ts";

/** From here on there is room for a preview beside the list; styles/preview.css says the same. */
const ROOMY = "(width >= 75rem)";

/** How previews are shown on the page of a drive. */
export interface PreviewSize {
  /** Beside the list, rather than over the page. */
  readonly isBeside: boolean;
  /** Shows them in the other way; null where there is no room for that. */
  readonly change: (() => void) | null;
}

/** How previews are shown, as it was chosen in this browser. */
export function usePreviewSize(): PreviewSize {
  const hasRoom = useMedia(ROOMY);
  const [isLarge, setLarge] = useState(isLargeChosen);
  const change = () => {
    chooseLarge(!isLarge);
    setLarge(!isLarge);
  };
  return { isBeside: hasRoom && !isLarge, change: hasRoom ? change : null };
}
