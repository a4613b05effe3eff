import type { ComponentChildren } from "preact";
import { Copy } from "../../components/forms/copy.tsx";
import type { Snippet } from "../../lib/words/key-snippets.ts";

/** A snippet to copy, behind its title. `children` say what to do with it. */
export function Paste({ title, what, text, children }: Snippet & { readonly children?: ComponentChildren }) {
  return (
    <details class="paste">
      <summary>{title}</summary>
      <div class="paste-body">
        {children}
        <pre>{text}</pre>
        <div>
          <Copy text={text} what={what} />
        </div>
      </div>
    </details>
  );
}
