import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Name } from "./name.tsx";

const SHOWN_MS = 5000;
const SAID = "coffer:said";

/** Tells the person, in passing, that something is done. Names in it may be hostile. */
export function say(message: string): void {
  dispatchEvent(new CustomEvent(SAID, { detail: message }));
}

/** Where `say` appears, above dialogs too; once in the page. */
export function Toasts() {
  const [messages, setMessages] = useState<readonly { id: number; text: string }[]>([]);
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    let next = 0;
    const listen = (event: Event) => {
      if (!(event instanceof CustomEvent)) return;
      const message = { id: (next += 1), text: String(event.detail) };
      setMessages((shown) => [...shown, message]);
      setTimeout(() => setMessages((shown) => shown.filter(({ id }) => id !== message.id)), SHOWN_MS);
    };
    layer.current?.showPopover();
    addEventListener(SAID, listen);
    return () => removeEventListener(SAID, listen);
  }, []);
  useLayoutEffect(() => {
    // A dialog that was opened since lies above: what is shown last is on top.
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
