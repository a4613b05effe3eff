import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { holdsFiles } from "./chosen.ts";

/**
 * Calls `onDrop` for what is dropped anywhere on the page, unless a dialog is open above it; returns
 * whether something is held over it.
 */
export function useDrop(onDrop: (data: DataTransfer) => void): boolean {
  const [isOver, setOver] = useState(false);
  const drop = useRef(onDrop);
  drop.current = onDrop;
  useLayoutEffect(() => {
    let entered: EventTarget | null = null;
    const takes = ({ dataTransfer }: DragEvent) =>
      holdsFiles(dataTransfer) && document.querySelector("dialog:modal") === null;
    const accept = (event: DragEvent) => {
      if (!takes(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "copy";
      setOver(true);
    };
    return listen({
      // Accepted as well: a drop may come right after what lies below the pointer became something else.
      dragenter: (event) => {
        entered = event.target;
        accept(event);
      },
      dragover: accept,
      // The next element is entered before the last one is left, so that this one left the page. Not by
      // `relatedTarget`, which WebKit never gives.
      dragleave: ({ target }) => {
        if (target === entered) setOver(false);
      },
      drop: (event) => {
        setOver(false);
        if (event.dataTransfer === null || !takes(event)) return;
        event.preventDefault();
        drop.current(event.dataTransfer);
      },
    });
  }, []);
  return isOver;
}

/** Keeps the browser from opening files that are dropped where nothing takes them. */
export function useNoStrayDrops(): void {
  useLayoutEffect(() => {
    const refuse = (event: DragEvent) => {
      if (event.defaultPrevented || !holdsFiles(event.dataTransfer)) return;
      // A file input takes them itself.
      if (event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = "none";
    };
    return listen({ dragover: refuse, drop: refuse });
  }, []);
}

type DragEvents = "dragenter" | "dragover" | "dragleave" | "drop";

/** Listens on the window; returns a function that stops this. */
function listen(handlers: Partial<Record<DragEvents, (event: DragEvent) => void>>): () => void {
  const abort = new AbortController();
  for (const type of ["dragenter", "dragover", "dragleave", "drop"] as const) {
    const handle = handlers[type];
    if (handle !== undefined) addEventListener(type, handle, { signal: abort.signal });
  }
  return () => abort.abort();
}
