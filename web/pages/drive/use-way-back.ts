import { useLayoutEffect, useRef } from "preact/hooks";
import { keep, kept } from "../../lib/browser/kept.ts";
import { folderAddress } from "../../lib/files/place.ts";
import { navigate } from "../../lib/browser/router.tsx";

/** Kept of an entry of the history: how many entries led to the file from where none was shown; null for none. */
const STEPS = "steps to file";

interface WayBackOptions {
  /** The drive as the address names it. */
  readonly drive: string;
  readonly folder: string;
  /** The file that the address asks for. */
  readonly fileId: string | null;
  /** Whether one came here within the dashboard. */
  readonly isReached: boolean;
}

/**
 * A function that closes the preview: it leads back to where the first file was opened from, a list or a search, also
 * if links led from that one to others.
 */
export function useWayBack({ drive, folder, fileId, isReached }: WayBackOptions): () => void {
  const last = useRef<number | null>(0);
  // After every rendering, which may be at another entry.
  useLayoutEffect(() => {
    if (fileId === null) {
      last.current = 0;
      return;
    }
    // Whoever comes back to the entry, or loads it again, came to it in the same way still.
    if (kept(STEPS) === undefined) keep(STEPS, isReached && last.current !== null ? last.current + 1 : null);
    last.current = stepsHere();
  });
  return () => {
    const steps = stepsHere();
    if (steps === null) navigate(folderAddress(drive, folder), { replace: true });
    else history.go(-steps);
  };
}

function stepsHere(): number | null {
  const steps = kept(STEPS);
  return typeof steps === "number" ? steps : null;
}
