import { useLayoutEffect, useRef } from "preact/hooks";
import { Copy } from "../../components/forms/copy.tsx";
import { useFocusHandedOn } from "../../lib/browser/focus.ts";
import { type NewKey, snippetsFor } from "../../lib/words/key-snippets.ts";
import { McpClients } from "./mcp-clients.tsx";
import { Paste } from "./paste.tsx";

/** The secret of a new key, shown once, with examples to copy. It stays until "Done" is pressed. */
export function MadeKey({ made, onDone }: { readonly made: NewKey; readonly onDone: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [made.secret]);
  const section = useRef<HTMLElement>(null);
  useFocusHandedOn(section);
  return (
    <section ref={section} class="card made-key" aria-labelledby="made-key">
      <h2 id="made-key" ref={heading} tabIndex={-1}>
        Your new key
      </h2>
      <p>Copy it now. It won't be shown again.</p>
      <div class="row secret">
        <code>{made.secret}</code>
        <Copy text={made.secret} what="the key" />
      </div>
      {snippetsFor(made).map((snippet) => (
        <Paste key={snippet.title} {...snippet} />
      ))}
      <h3>MCP clients</h3>
      <McpClients apiKey={made.secret} server={made.server} />
      <div>
        <button type="button" class="button primary" onClick={onDone}>
          Done
        </button>
      </div>
    </section>
  );
}
