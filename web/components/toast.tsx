import undoIcon from "lucide-static/icons/undo-2.svg" with { type: "text" };
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { asApiError } from "../lib/api/api.ts";
import { useFocusHandedOn } from "../lib/browser/focus.ts";
import { MODALS_CHANGED } from "../lib/browser/modal.ts";
import { type Progress, progressWords, type Work } from "../lib/files/steps.ts";
import { isTyping } from "../lib/browser/typing.ts";
import { t } from "../lib/words/text.ts";
import { Icon } from "./icon.tsx";
import { Name } from "./name.tsx";

const SHOWN_MS = 5000;
/** What can be undone stays for longer, so that there is time to reach the button. */
const UNDOABLE_MS = 10_000;
/** How soon a message is looked at again that was in use when its time was over. */
const AGAIN_MS = 1000;
const SAID = "coffer:said";

/** What goes with a message. */
interface Offer {
  /** Takes back what the message says; gives what was done, in words. Rejects with why it could not. */
  readonly undo?: ((work: Work) => Promise<string>) | undefined;
}

/** A short message that is shown for a while. */
interface Message extends Offer {
  readonly id: number;
  readonly text: string;
}

/** Shows a short message. Names in it may be hostile. */
export function say(text: string, offer: Offer = {}): void {
  dispatchEvent(new CustomEvent(SAID, { detail: { text, ...offer } }));
}

/** The messages that are shown now, the newest last, and a function that takes one away before its time. */
function useSaid(): [readonly Message[], (message: Message) => void] {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const drop = ({ id }: Message) => setMessages((shown) => shown.filter((message) => message.id !== id));
  useLayoutEffect(() => {
    let next = 0;
    const end = (message: Message) => {
      if (isInUse(message)) setTimeout(end, AGAIN_MS, message);
      else drop(message);
    };
    const listen = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      const message: Message = { id: (next += 1), ...event.detail };
      setMessages((shown) => [...shown, message]);
      setTimeout(end, message.undo === undefined ? SHOWN_MS : UNDOABLE_MS, message);
    };
    addEventListener(SAID, listen);
    return () => removeEventListener(SAID, listen);
  }, []);
  return [messages, drop];
}

/** Shows the messages of `say`, in dialogs, too. Used once in the page. */
export function Toasts() {
  const home = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const [messages, drop] = useSaid();
  const [undoing, setUndoing] = useState<Progress | null>(null);
  const undo = async (message: Message) => {
    drop(message);
    try {
      const { signal } = new AbortController();
      say((await message.undo?.({ onProgress: setUndoing, signal })) ?? "");
    } catch (error) {
      say(asApiError(error).message);
    }
    setUndoing(null);
  };
  useUndoKey(messages, undo);
  useLayoutEffect(() => {
    // A modal dialog covers all that is not in it, also for screen readers.
    const place = () => {
      const dialog = [...document.querySelectorAll("dialog:modal")].at(-1) ?? home.current;
      if (layer.current === null || layer.current.parentElement === dialog) return;
      dialog?.append(layer.current);
      layer.current.showPopover();
    };
    layer.current?.showPopover();
    place();
    addEventListener(MODALS_CHANGED, place);
    return () => removeEventListener(MODALS_CHANGED, place);
  }, []);
  return (
    <div ref={home}>
      <div ref={layer} class="toasts" role="status" popover="manual">
        {undoing !== null && (
          <div class="toast">
            <progress
              aria-label={t("Undoing")}
              max={undoing.of}
              value={undoing.done === 0 ? undefined : undoing.done}
            />
            <span>{t("Putting back: {progress}", { progress: progressWords(undoing) })}</span>
          </div>
        )}
        {messages.map((message) => (
          <Toast key={message.id} message={message} onUndo={() => void undo(message)} />
        ))}
      </div>
    </div>
  );
}

function Toast({ message, onUndo }: { readonly message: Message; readonly onUndo: () => void }) {
  const element = useRef<HTMLDivElement>(null);
  useFocusHandedOn(element);
  return (
    <div ref={element} id={idOf(message)} class="toast">
      <span class="toast-words">
        <Name text={message.text} />
      </span>
      {message.undo !== undefined && (
        <button
          type="button"
          class="button quiet"
          aria-keyshortcuts="Control+Z Meta+Z"
          title={t("Undo (Ctrl+Z)")}
          onClick={onUndo}
        >
          <Icon svg={undoIcon} /> {t("Undo")}
        </button>
      )}
    </div>
  );
}

/** Undoes what the newest message offers to, on Ctrl+Z, or Cmd+Z. */
function useUndoKey(messages: readonly Message[], undo: (message: Message) => Promise<void>): void {
  const newest = messages.findLast((message) => message.undo !== undefined);
  useLayoutEffect(() => {
    if (newest === undefined) return;
    const press = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      // In a field, the key takes back what was typed.
      if (!isUndo || event.key.toLowerCase() !== "z" || isTyping(event.target)) return;
      event.preventDefault();
      void undo(newest);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [newest]);
}

/** What can be undone stays while it is under the pointer or has the focus. */
function isInUse(message: Message): boolean {
  if (message.undo === undefined) return false;
  return document.getElementById(idOf(message))?.matches(":hover, :focus-within") === true;
}

function idOf({ id }: Message): string {
  return `said-${id}`;
}
