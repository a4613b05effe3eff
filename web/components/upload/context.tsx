import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useState } from "preact/hooks";
import type { Account } from "../../lib/api/types.ts";
import { useUnloadQuestion } from "../../lib/browser/unload-question.ts";
import { UploadQueue } from "../../lib/uploads.ts";
import { useNoStrayDrops } from "../../lib/uploads/drop.ts";
import { type Summary, summarise } from "../../lib/uploads/summary.ts";
import type { QueueView } from "../../lib/uploads/upload.ts";
import { Question } from "./question.tsx";
import { UploadPanel } from "./panel.tsx";
import { Spoken } from "./spoken.tsx";
import { useReplaced } from "./use-replaced.ts";

const TICK_MS = 1000;

const UploadsContext = createContext<UploadQueue | null>(null);

interface UploadsProviderProps {
  /** The signed-in user, null after the session ended. A new object after each request for it. */
  readonly asked: { readonly value: Account | null };
  /** The largest file allowed, in bytes. */
  readonly maxFileSize: number;
  /** Whether what is replaced is kept, so that it can be put back. */
  readonly canUndo: boolean;
  readonly children: ComponentChildren;
}

/**
 * Runs the uploads of one user and shows them below every page. If the session ends by itself, uploads wait until
 * that user has signed in again.
 */
export function UploadsProvider({ asked, maxFileSize, canUndo, children }: UploadsProviderProps) {
  const [queue] = useState(() => new UploadQueue(maxFileSize));
  const view = useQueueView(queue);
  const summary = summarise(view);
  useLayoutEffect(() => () => queue.cancelAll(), [queue]);
  const isSignedIn = asked.value !== null;
  // Also when the same user is found again: an upload that was refused with 401 waits for this answer.
  useLayoutEffect(() => (isSignedIn ? queue.release() : queue.hold()), [queue, asked]);
  useUnloadQuestion(summary.isBusy);
  useNoStrayDrops();
  useReplaced(queue, canUndo);
  return (
    <UploadsContext.Provider value={queue}>
      {isSignedIn && <Spoken view={view} summary={summary} />}
      {children}
      {isSignedIn && <Shown queue={queue} view={view} summary={summary} />}
    </UploadsContext.Provider>
  );
}

function Shown(props: { readonly queue: UploadQueue; readonly view: QueueView; readonly summary: Summary }) {
  const { queue, view } = props;
  return (
    <>
      {view.uploads.length > 0 && <UploadPanel {...props} />}
      <Question queue={queue} uploads={view.uploads} />
    </>
  );
}

/** The queue of uploads; only below `UploadsProvider`. */
export function useUploads(): UploadQueue {
  const queue = useContext(UploadsContext);
  if (queue === null) throw new Error("uploads need an UploadsProvider");
  return queue;
}

function useQueueView(queue: UploadQueue): QueueView {
  const [view, setView] = useState(() => queue.view());
  useLayoutEffect(() => {
    const update = () => setView(queue.view());
    // Also while nothing is sent, because the speed falls and a pause ends.
    const timer = setInterval(() => queue.isBusy && update(), TICK_MS);
    const forget = queue.subscribe(update);
    return () => {
      clearInterval(timer);
      forget();
    };
  }, [queue]);
  return view;
}
