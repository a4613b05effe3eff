import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import { useSession } from "../../lib/session.tsx";
import { UploadQueue } from "../../lib/uploads.ts";
import { useNoStrayDrops } from "../../lib/uploads/drop.ts";
import { summarise } from "../../lib/uploads/summary.ts";
import type { QueueView } from "../../lib/uploads/upload.ts";
import { Question } from "./question.tsx";
import { UploadPanel } from "./panel.tsx";
import { Spoken } from "./spoken.tsx";

const TICK_MS = 1000;

const UploadsContext = createContext<UploadQueue | null>(null);

/**
 * Keeps the uploads of somebody signed in, and shows them below whatever page they go to. Signing out
 * cancels what is not there yet.
 */
export function UploadsProvider({ children }: { readonly children: ComponentChildren }) {
  const { account } = useSession();
  const [queue] = useState(() => new UploadQueue(account.limits.max_file_size));
  const view = useQueueView(queue);
  const summary = summarise(view);
  useLayoutEffect(() => () => queue.cancelAll(), [queue]);
  useLayoutEffect(() => {
    if (!summary.isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [summary.isBusy]);
  useNoStrayDrops();
  return (
    <UploadsContext.Provider value={queue}>
      <Spoken view={view} summary={summary} />
      {children}
      {view.uploads.length > 0 && <UploadPanel queue={queue} view={view} summary={summary} />}
      <Question queue={queue} uploads={view.uploads} />
    </UploadsContext.Provider>
  );
}

/** The queue that uploads go into; only below `UploadsProvider`. */
export function useUploads(): UploadQueue {
  const queue = useContext(UploadsContext);
  if (queue === null) throw new Error("uploads need an UploadsProvider");
  return queue;
}

function useQueueView(queue: UploadQueue): QueueView {
  const [view, setView] = useState(() => queue.view());
  useLayoutEffect(() => {
    const update = () => setView(queue.view());
    // Also while nothing moves: that is when the speed falls, and a rest comes to its end.
    const timer = setInterval(() => queue.isBusy && update(), TICK_MS);
    const forget = queue.subscribe(update);
    return () => {
      clearInterval(timer);
      forget();
    };
  }, [queue]);
  return view;
}
