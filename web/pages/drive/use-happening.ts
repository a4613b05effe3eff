import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useSession } from "../../lib/api/session.tsx";
import type { FileRecord } from "../../lib/api/types.ts";
import { type Happening, happeningTo } from "../../lib/fates.ts";
import type { DriveStore } from "./store/drive.ts";

interface FileHappening {
  readonly happening: Happening | null;
  /** Shows the file as it is now. */
  readonly show: () => void;
}

/**
 * What others do to a file while it is shown. What is no news is shown at once.
 *
 * @param file as it is shown; null where nothing is yet
 */
export function useHappening(
  store: DriveStore,
  id: string,
  file: FileRecord | null,
  reload: () => void,
): FileHappening {
  const { account } = useSession();
  const [last, setLast] = useState<{ readonly id: string; readonly happening: Happening } | null>(null);
  const happening = last?.id === id ? last.happening : null;
  const show = useCallback(() => {
    setLast(null);
    reload();
  }, [reload]);
  const known = useRef({ id, file, happening });
  known.current = { id, file, happening };
  useLayoutEffect(
    () =>
      store.watch((change) => {
        const { current } = known;
        const next =
          current.file === null ? "reload" : happeningTo(current.file, change, current.happening, account.id);
        if (next === "reload") return show();
        if (next === null) return;
        known.current = { ...current, happening: next };
        setLast({ id: current.id, happening: next });
      }),
    [store, show, account.id],
  );
  return { happening, show };
}
