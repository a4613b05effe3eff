import { Copy } from "../forms/copy.tsx";
import type { Paste as PasteText } from "../../lib/agents/pastes.ts";

/** A text to be pasted somewhere, with a button that copies it. */
export function Paste({ how, what, text }: PasteText) {
  return (
    <div class="paste">
      <p>{how}</p>
      <pre tabIndex={0}>{text}</pre>
      <div>
        <Copy text={text} what={what} />
      </div>
    </div>
  );
}
