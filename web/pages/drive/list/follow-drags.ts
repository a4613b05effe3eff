import { describeEntries, type Entry } from "../../../lib/files.ts";
import { serverAddress } from "../../../lib/browser/shown-address.ts";
import { downloadOf, mayGoInto, OWN_DRAG } from "../../../lib/files/drag.ts";
import { withSelected } from "../../../lib/files/selection.ts";
import type { DriveStore } from "../store/drive.ts";
import type { FolderStore } from "../store/folder.ts";

/** How long a folder of the tree must be pointed at until it opens. */
const OPEN_MS = 700;

/** What is dragged by, within a row. The rest of it has text to be selected. */
const HANDLE = ".file-row .cell-name";
/** What something may be dropped on: whatever names a folder of the drive. */
const TARGET = "[data-folder]";

/**
 * Follows drags that begin in the list of a folder, until the function that it returns is called. What is dropped on a
 * folder is moved there, or copied with Ctrl or Alt, as the Move dialog does it.
 */
export function followDrags(store: DriveStore, folder: FolderStore): () => void {
  const abort = new AbortController();
  const listen = <Type extends keyof WindowEventMap>(
    type: Type,
    handle: (event: WindowEventMap[Type]) => void,
  ) => addEventListener(type, handle, { signal: abort.signal });
  let dragged: readonly Entry[] = [];
  const over = new Over((path) => store.tree.open(path));
  const mayDropOn = (target: HTMLElement | null): target is HTMLElement =>
    target !== null && dragged.length > 0 && !folder.isReadOnly && mayGoInto(dragged, folderOf(target));
  const end = () => {
    dragged = [];
    over.leave();
  };
  const pointAt = (event: DragEvent) => {
    if (dragged.length === 0) return;
    const target = closest(event.target, TARGET);
    const takes = mayDropOn(target);
    over.enter(target, takes);
    if (!takes) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = howOf(event);
  };

  listen("pointerdown", ({ target, pointerType }) => {
    const handle = closest(target, HANDLE);
    // A finger that rests on a row opens its menu.
    if (handle !== null) handle.draggable = pointerType === "mouse";
  });
  listen("dragstart", ({ target, dataTransfer }) => {
    const entry = entryAt(folder, closest(target, `${HANDLE}[draggable=true]`));
    if (entry === undefined || dataTransfer === null) return;
    dragged = withSelected(entry, folder.cursor.selection.peek());
    describe(dataTransfer, dragged);
  });
  // Both: a drop may come right after what lies below the pointer became something else.
  listen("dragenter", pointAt);
  listen("dragover", pointAt);
  listen("drop", (event) => {
    const target = closest(event.target, TARGET);
    if (mayDropOn(target)) {
      event.preventDefault();
      folder.ask({ kind: "transfer", how: howOf(event), entries: dragged, into: folderOf(target) });
    }
    end();
  });
  listen("dragend", end);
  return () => {
    abort.abort();
    end();
  };
}

/** What is pointed at while something is dragged. */
class Over {
  readonly #open: (path: string) => void;
  #target: HTMLElement | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param open opens a folder of the tree */
  constructor(open: (path: string) => void) {
    this.#open = open;
  }

  /** @param takes whether it is to show that what is dragged can be dropped on it */
  enter(target: HTMLElement | null, takes: boolean): void {
    if (target === this.#target) return;
    this.leave();
    this.#target = target;
    if (takes) target?.setAttribute("data-over", "");
    if (target?.getAttribute("aria-expanded") === "false") {
      this.#timer = setTimeout(this.#open, OPEN_MS, folderOf(target));
    }
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#target?.removeAttribute("data-over");
    this.#target = null;
  }
}

/** Says what is dragged: to ourselves, to the browser where it leaves that, and to who drags it. */
function describe(data: DataTransfer, entries: readonly Entry[]): void {
  // The address of a link, which is dragged as well where the pointer is on a name, stands for one of them alone.
  data.clearData();
  data.effectAllowed = "copyMove";
  data.setData(OWN_DRAG, String(entries.length));
  const download = downloadOf(entries, serverAddress());
  if (download !== null) data.setData("DownloadURL", download);
  const image = document.createElement("div");
  image.className = "drag-image";
  image.textContent = describeEntries(entries);
  document.body.append(image);
  data.setDragImage(image, 0, 0);
  // The browser has drawn it by then.
  setTimeout(() => image.remove());
}

function howOf({ ctrlKey, altKey }: DragEvent): "copy" | "move" {
  return ctrlKey || altKey ? "copy" : "move";
}

function closest(target: EventTarget | null, selector: string): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(selector) : null;
}

function folderOf(target: HTMLElement): string {
  return target.dataset["folder"] ?? "";
}

function entryAt(folder: FolderStore, handle: HTMLElement | null): Entry | undefined {
  const row = closest(handle, "[data-index]");
  return row === null ? undefined : folder.listing.peek()?.at(Number(row.dataset["index"]));
}
