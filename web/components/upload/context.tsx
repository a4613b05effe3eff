import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { useSession } from "../../lib/session.tsx";
import { UploadQueue } from "../../lib/uploads.ts";
import { isPending, type QueueView } from "../../lib/uploads/upload.ts";
import { Question } from "./question.tsx";
import { UploadPanel } from "./panel.tsx";

const UploadsContext = createContext<UploadQueue | null>(null);

/**
 * Keeps the uploads of somebody signed in, and shows them below whatever page they go to. Signing out
 * cancels what is not there yet.
 */
export function UploadsProvider({ children }: { readonly children: ComponentChildren }) {
  const { account } = useSession();
  const [queue] = useState(() => new UploadQueue(account.limits.max_file_size));
  const view = useQueueView(queue);
  const isBusy = view.uploads.some(isPending);
  useEffect(() => () => queue.cancelAll(), [queue]);
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isBusy]);
  return (
    <UploadsContext.Provider value={queue}>
      {children}
      {view.uploads.length > 0 && <UploadPanel queue={queue} view={view} />}
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
  useEffect(() => queue.subscribe(() => setView(queue.view())), [queue]);
  return view;
}
