import { mcpAddress, mcpClients } from "../../lib/words/mcp-clients.ts";
import { Paste } from "./paste.tsx";

/** Stands for a key that is not shown any more. */
const PLACEHOLDER = "YOUR_KEY";

/** How MCP clients are connected, on the page of keys. */
export function ConnectClients() {
  return (
    <section class="card" aria-labelledby="connect-clients">
      <div>
        <h2 id="connect-clients">Connect an MCP client</h2>
        <p class="soft">
          The address is <code>{mcpAddress(location.origin)}</code>. Clients that can sign in need nothing
          else. For the others, put a key in place of <code>{PLACEHOLDER}</code>.
        </p>
      </div>
      <McpClients apiKey={PLACEHOLDER} server={location.origin} />
    </section>
  );
}

/** The configuration of each MCP client, with a key in it. */
export function McpClients({ apiKey, server }: { readonly apiKey: string; readonly server: string }) {
  return (
    <>
      {mcpClients(server, apiKey).map(({ how, ...snippet }) => (
        <Paste key={snippet.title} {...snippet}>
          <p>{how}</p>
        </Paste>
      ))}
    </>
  );
}
