import { useEffect, useState } from "preact/hooks";
import { type ApiError, asApiError } from "../../lib/api/api.ts";
import { useLoad } from "../../lib/api/load.ts";
import { listShared } from "../../lib/shared.ts";
import type { SharedFile, SharedPage } from "../../lib/api/types.ts";

/** What of a folder is loaded. */
export interface FolderContents {
  readonly folders: readonly string[];
  readonly files: readonly SharedFile[];
  readonly state: "loading" | "more" | "whole";
  readonly failure: ApiError | null;
  readonly loadMore: () => Promise<void>;
  readonly retry: () => void;
}

/** The pages after a first one. They come later, when another folder may be shown. */
interface LaterPages {
  readonly first: SharedPage | null;
  readonly pages: readonly SharedPage[];
}

/** Loads a folder that a link shows, page by page. `onRefused` is called if the link shows nothing any more. */
export function useFolder(token: string, folder: string, onRefused: () => void): FolderContents {
  const { loaded, reload } = useLoad(folder, async (signal) => ({
    folder,
    page: await listShared(token, folder, null, signal),
  }));
  const [later, setLater] = useState<LaterPages>({ first: null, pages: [] });
  const [laterFailure, setLaterFailure] = useState<ApiError | null>(null);
  useEffect(() => setLaterFailure(null), [loaded]);
  const failure = loaded.state === "failed" ? loaded.error : laterFailure;
  useEffect(() => {
    if (failure?.status === 401 || failure?.status === 410) onRefused();
  }, [failure]);
  // The pages of another folder are not this one's.
  const first = loaded.state === "ready" && loaded.value.folder === folder ? loaded.value.page : null;
  const pages = first === null ? [] : [first, ...(later.first === first ? later.pages : [])];
  const cursor = pages.at(-1)?.next_cursor ?? null;
  const loadMore = async () => {
    setLaterFailure(null);
    try {
      const page = await listShared(token, folder, cursor);
      setLater({ first, pages: [...pages.slice(1), page] });
    } catch (error) {
      setLaterFailure(asApiError(error));
    }
  };
  return {
    folders: pages.flatMap((page) => page.folders),
    files: pages.flatMap((page) => page.data),
    state: first === null ? "loading" : cursor === null ? "whole" : "more",
    failure,
    loadMore,
    retry: loaded.state === "failed" ? reload : () => void loadMore(),
  };
}
