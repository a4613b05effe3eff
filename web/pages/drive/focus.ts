import { effect } from "@preact/signals-core";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { FolderStore } from "./store/folder.ts";

/**
 * Moves the focus to where the cursor of a folder asks, in the element that shows the folder. If a rendering
 * removes what had the focus, or moves it, which loses the focus too, the focus goes to the list.
 */
export function useListFocus({ cursor, dialog, listing }: FolderStore): RefObject<HTMLDivElement | null> {
  const element = useRef<HTMLDivElement>(null);
  // A change of each of these may remove what has the focus.
  void [cursor.active.value, cursor.selection.value, dialog.value, listing.value?.count];
  const hadFocus = element.current?.contains(document.activeElement) === true;
  const give = () => {
    const wish = cursor.focus.peek();
    if (wish === null || element.current === null) return;
    const row = element.current.querySelector<HTMLElement>(`[data-index="${cursor.active.peek()}"]`);
    if (wish === "row") {
      // The next rendering may bring it.
      if (row === null) return;
      cursor.focus.value = null;
      row.focus({ preventScroll: true });
      return;
    }
    if (dialog.peek() !== null || listing.peek() === null) return;
    cursor.focus.value = null;
    // After going to another page, the whole content has the focus.
    if (document.activeElement?.matches("body, main") === false) return;
    (row ?? element.current.querySelector<HTMLElement>("button"))?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (hadFocus && document.activeElement === document.body) cursor.focus.value ??= "list";
    give();
  });
  // At once if the row is in the page: the next key may come before the next rendering. It scrolls nothing: what
  // is below the pointer must not move.
  useLayoutEffect(
    () =>
      effect(() => {
        if (cursor.focus.value === "row") give();
      }),
    [cursor],
  );
  return element;
}
