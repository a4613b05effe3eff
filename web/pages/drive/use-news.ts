import { useLayoutEffect, useMemo } from "preact/hooks";
import { useSession } from "../../lib/api/session.tsx";
import { shownPath } from "../../lib/browser/shown-address.ts";
import { parseDrivePlace } from "../../lib/files/place.ts";
import type { DriveNews } from "../../lib/news.ts";
import type { DriveStore } from "./store/drive.ts";

/**
 * What is new in a drive to whoever looks at it. It is seen when they leave the page, or put it out of sight.
 *
 * @param place the drive as the address names it
 */
export function useNews(store: DriveStore, place: string): DriveNews {
  const { visits } = useSession();
  const news = useMemo(() => visits.of(store.drive), [store.drive, visits]);
  useLayoutEffect(() => {
    const abort = new AbortController();
    // Without an answer nothing is marked: the files are there all the same.
    news.load(abort.signal).catch(() => {});
    const leave = () => {
      if (document.visibilityState === "hidden") news.leave();
    };
    document.addEventListener("visibilitychange", leave);
    return () => {
      abort.abort();
      document.removeEventListener("visibilitychange", leave);
      // Where the address stays, the page went because somebody else signs in: it is not for them to note.
      if (parseDrivePlace(shownPath())?.drive !== place) news.leave();
    };
  }, [news, place]);
  useLayoutEffect(() => store.watch((change) => news.tell(change)), [store, news]);
  return news;
}
