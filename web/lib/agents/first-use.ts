import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { call } from "../api/api.ts";
import { Feed } from "../api/feed.ts";
import { type Loaded, useLoad } from "../api/load.ts";
import type { ApiKey, Change, KeyDetail } from "../api/types.ts";
import { onceInSight } from "../browser/in-sight.ts";
import { nameOf } from "../files.ts";

/** How long it is waited before the key is asked for again, in milliseconds. */
const AGAIN_MS = 2000;

/** What an agent has done with its key so far. */
export interface FirstUse {
  readonly isUsed: boolean;
  /** The name of the file that it wrote last; null for none. */
  readonly wrote: string | null;
}

/** Follows what is done with a new key, while the page is in sight. */
export function useFirstUse(key: ApiKey): Loaded<FirstUse> {
  const [wrote, setWrote] = useState<string | null>(null);
  useLayoutEffect(() => {
    const onChanges = (changes: readonly Change[]) => {
      const last = changes.findLast((change) => isWrittenBy(change, key.id));
      if (last !== undefined) setWrote(nameOf(last.path));
    };
    const feed = new Feed(key.drive_id, { onChanges, onGap: () => {} });
    return () => feed.close();
  }, [key.id, key.drive_id]);
  const { loaded, reload } = useLoad(key.id, (signal) =>
    call<KeyDetail>("GET", `/v0/keys/${key.id}`, { signal }),
  );
  useEffect(() => {
    if (loaded.state !== "ready" || loaded.value.last_used_at !== null) return;
    return onceInSight(AGAIN_MS, reload);
  }, [loaded, reload]);
  if (wrote !== null) return { state: "ready", value: { isUsed: true, wrote } };
  if (loaded.state !== "ready") return loaded;
  return { state: "ready", value: { isUsed: loaded.value.last_used_at !== null, wrote } };
}

function isWrittenBy({ type, by }: Change, keyId: string): boolean {
  return /^file\.(?:created|updated)$/.test(type) && by?.type === "key" && by.id === keyId;
}
