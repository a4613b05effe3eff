import { effect } from "@preact/signals-core";
import { useLayoutEffect, useState } from "preact/hooks";
import { useSession } from "../../../lib/api/session.tsx";
import { DraftKeeper } from "../../../lib/editing/draft-keeper.ts";
import { keyOf } from "../../../lib/editing/drafts.ts";
import type { Editing } from "../../../lib/editing/editing.ts";

/** Keeps the text in the browser while it is not saved. Whether it did, null at first, and a function that forgets it. */
export function useDraft(editing: Editing): { readonly isKept: boolean | null; readonly drop: () => void } {
  const { account } = useSession();
  const [isKept, setKept] = useState<boolean | null>(null);
  const [keeper] = useState(() => new DraftKeeper(setKept));
  useLayoutEffect(() => {
    const end = effect(() => {
      const text = editing.doc.value;
      if (!editing.isDirty.value) return keeper.drop();
      const { base } = editing;
      const at = new Date().toISOString();
      keeper.keep(keyOf(account.id, editing.file), () => ({ base, text: text.toString(), at }));
    });
    const flush = () => keeper.flush();
    addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", flush);
    return () => {
      end();
      keeper.stop();
      removeEventListener("pagehide", flush);
      document.removeEventListener("visibilitychange", flush);
    };
  }, [editing]);
  return { isKept, drop: () => keeper.drop() };
}
