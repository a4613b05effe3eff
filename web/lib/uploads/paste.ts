import { useLayoutEffect, useRef } from "preact/hooks";
import { isTyping } from "../browser/typing.ts";
import { type Chosen, type Dropped, droppedFiles, holdsFiles } from "./chosen.ts";

/** What browsers call a picture in the clipboard, which has no name. */
const NAMELESS = "image.png";

/** Calls `onPaste` for files, or a picture, that are pasted on the page; not in a field, nor where a dialog is open. */
export function usePaste(onPaste: (data: DataTransfer) => void): void {
  const paste = useRef(onPaste);
  paste.current = onPaste;
  useLayoutEffect(() => {
    const listen = (event: ClipboardEvent) => {
      const { clipboardData: data, target } = event;
      if (data === null || !holdsFiles(data) || isTextWithPicture(data) || isTyping(target)) return;
      if (document.querySelector("dialog:modal") !== null) return;
      event.preventDefault();
      paste.current(data);
    };
    addEventListener("paste", listen);
    return () => removeEventListener("paste", listen);
  }, []);
}

/** What was pasted, as `droppedFiles`; a picture without a name is called by when that was. */
export async function pastedFiles(data: DataTransfer): Promise<Dropped> {
  const at = new Date();
  const { chosen, unread } = await droppedFiles(data);
  const named = (one: Chosen) => (one.path === NAMELESS ? { ...one, path: `pasted-${stamp(at)}.png` } : one);
  return { chosen: chosen.map(named), unread };
}

/** Word processors and spreadsheets put a picture of a text beside it. */
function isTextWithPicture({ types, files }: DataTransfer): boolean {
  return types.includes("text/plain") && files.length === 1 && files[0]?.name === NAMELESS;
}

/** Such as `2030-01-31-12-05-09`, by the clock of whoever pastes. */
function stamp(at: Date): string {
  const parts = [at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()];
  return [at.getFullYear(), ...parts.map((part) => String(part).padStart(2, "0"))].join("-");
}
