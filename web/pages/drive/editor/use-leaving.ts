import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { openAgain } from "../../../lib/browser/modal.ts";
import { askBeforeLeaving } from "../../../lib/browser/router.tsx";
import { useUnloadQuestion } from "../../../lib/browser/unload-question.ts";

/** Somebody wants to leave a text with changes that are not saved. */
export interface Leaving {
  readonly go: () => void;
  readonly stay: () => void;
}

/**
 * Who wants to leave, as long as that would lose changes; null for nobody.
 *
 * @param place where the text stands: a dialog around it that is closed is opened again until it is decided
 */
export function useLeaving(wouldLose: boolean, place: RefObject<HTMLElement | null>): Leaving | null {
  const [leaving, setLeaving] = useState<Leaving | null>(null);
  const end = useRef(() => {});
  useUnloadQuestion(wouldLose);
  useLayoutEffect(() => {
    if (!wouldLose) return;
    end.current = askBeforeLeaving((go) => {
      const closed = place.current?.closest<HTMLDialogElement>("dialog:not([open])") ?? null;
      if (closed !== null) openAgain(closed);
      setLeaving({
        go: () => {
          end.current();
          go();
        },
        stay: () => setLeaving(null),
      });
    });
    return () => end.current();
  }, [wouldLose]);
  return leaving;
}
