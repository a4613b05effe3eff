import { useEffect, useState } from "preact/hooks";

const SHOWN_MS = 5000;
const SAID = "coffer:said";

/** Tells the person, in passing, that something is done. */
export function say(message: string): void {
  dispatchEvent(new CustomEvent(SAID, { detail: message }));
}

/** Where `say` appears; once in the page. */
export function Toasts() {
  const [messages, setMessages] = useState<readonly { id: number; text: string }[]>([]);
  useEffect(() => {
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
  return (
    <div class="toasts" role="status">
      {messages.map(({ id, text }) => (
        <div key={id} class="toast">
          {text}
        </div>
      ))}
    </div>
  );
}
