import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useUploads } from "../../components/upload/context.tsx";
import { ApiError } from "../../lib/api/api.ts";
import { getDrive } from "../../lib/drives.ts";
import { isId } from "../../lib/files/place.ts";
import { Feed } from "../../lib/api/feed.ts";
import { rememberDrive } from "../../lib/browser/last-drive.ts";
import { keep, kept } from "../../lib/browser/kept.ts";
import { type Loaded, useLoad } from "../../lib/api/load.ts";
import { useReturns } from "../../lib/browser/returns.ts";
import type { Drive } from "../../lib/api/types.ts";
import { DriveStore } from "./store/drive.ts";
import { follow } from "./store/follow.ts";

/**
 * How soon after an upload the list may be loaded again. Later while uploads go on: they share its limit of requests.
 */
const SETTLE_MS = 200;
const SETTLE_BUSY_MS = 2000;

/** Changes of the drive itself, or of who may use it. */
const OF_DRIVE = /^(?:drive|member)\./;

/** What the id of the drive that an entry of the history shows is kept as. */
const DRIVE = "drive";

/**
 * The drive that an address names, read again when the person comes back to the page. Once it is known it is
 * the one of its id: a drive that is given another name leaves its slug, and the addresses with it, behind.
 */
export function useDrive(name: string): { readonly loaded: Loaded<Drive>; readonly reload: () => void } {
  const known = useRef<Drive | null>(null);
  const { loaded, reload } = useLoad(DRIVE, async (signal) => {
    try {
      known.current = await (known.current === null
        ? findDrive(name, signal)
        : getDrive(known.current.id, signal));
    } catch (error) {
      // What is open stays open without an answer; where the drive is gone, its list says so.
      if (known.current === null || signal.aborted) throw error;
    }
    return known.current;
  });
  useReturns(reload);
  return { loaded, reload };
}

/**
 * Has the address follow the drive's slug, unless it goes by the id, and notes the drive in the entry.
 *
 * @param name the drive as the address names it
 * @param onRenamed called with the slug that is to stand in the address instead
 */
export function useSlugInAddress(drive: Drive, name: string, onRenamed: (slug: string) => void): void {
  // After every rendering, which may be at another entry.
  useLayoutEffect(() => {
    keep(DRIVE, drive.id);
    rememberDrive(drive.id);
    if (drive.slug !== null && drive.slug !== name && !isId(name)) onRenamed(drive.slug);
  });
}

/**
 * The state of a drive's page, which is another for another role in it. It is told of uploads, and of what others do.
 *
 * @param onDriveChange called when the drive itself may be another, always the same
 */
export function useDriveStore({ id, role }: Drive, onDriveChange: () => void): DriveStore {
  const isReadOnly = role === "reader";
  const store = useMemo(() => new DriveStore(id, isReadOnly), [id, isReadOnly]);
  const uploads = useUploads();
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      timer = undefined;
      store.settle();
    };
    const forget = uploads.onStored((entry) => {
      store.uploaded(entry);
      if (uploads.isBusy) timer ??= setTimeout(settle, SETTLE_BUSY_MS);
      else {
        clearTimeout(timer);
        timer = setTimeout(settle, SETTLE_MS);
      }
    });
    return () => {
      forget();
      clearTimeout(timer);
    };
  }, [uploads, store]);
  useLayoutEffect(() => {
    const feed = new Feed(id, {
      onChanges: (changes) => {
        void follow(store, changes);
        if (changes.some(({ type }) => OF_DRIVE.test(type))) onDriveChange();
      },
      onGap: () => {
        store.reload();
        onDriveChange();
      },
      onOpen: () => store.begin(),
      onWork: (work) => store.works.tell(work),
    });
    return () => feed.close();
  }, [id, store, onDriveChange]);
  return store;
}

/** The drive of a name; where there is none, the one that was shown here before, which may have another now. */
async function findDrive(name: string, signal: AbortSignal): Promise<Drive> {
  const before = kept(DRIVE);
  try {
    return await getDrive(name, signal);
  } catch (error) {
    const isMissing = error instanceof ApiError && error.status === 404;
    if (!isMissing || typeof before !== "string") throw error;
    return getDrive(before, signal);
  }
}
