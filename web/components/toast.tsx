import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Name } from "./name.tsx";

const SHOWN_MS = 5000;
const SAID = "coffer:said";

interface Message {
  readonly id: number;
  readonly text: string;
}

/** Shows a short message. Names in it may be hostile. */
export function say(message: string): void {
  dispatchEvent(new CustomEvent(SAID, { detail: message }));
}

/** The messages that are shown now, the newest last. */
function useSaid(): readonly Message[] {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  useLayoutEffect(() => {
    let next = 0;
    const listen = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      const message = { id: (next += 1), text: String(event.detail) };
      setMessages((shown) => [...shown, message]);
      setTimeout(() => setMessages((shown) => shown.filter(({ id }) => id !== message.id)), SHOWN_MS);
    };
    addEventListener(SAID, listen);
    return () => removeEventListener(SAID, listen);
  }, []);
  return messages;
}

/** Shows the messages of `say`, also above dialogs. Used once in the page. */
export function Toasts() {
  const messages = useSaid();
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => layer.current?.showPopover(), []);
  useLayoutEffect(() => {
    // The popover shown last is on top. A dialog that opened since would cover the messages.
    if (messages.length === 0 || document.querySelector("dialog:modal") === null) return;
    layer.current?.hidePopover();
    layer.current?.showPopover();
  }, [messages]);
  return (
    <div ref={layer} class="toasts" role="status" popover="manual">
      {messages.map(({ id, text }) => (
        <div key={id} class="toast">
          <Name text={text} />
        </div>
      ))}
    </div>
  );
}

/** The same messages inside a modal dialog, which hides everything outside it from screen readers. */
export function SpokenToasts() {
  return (
    <p class="hidden-visually" role="status">
      {useSaid().at(-1)?.text}
    </p>
  );
}
