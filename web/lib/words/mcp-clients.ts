import type { Snippet } from "./key-snippets.ts";

/** A snippet for an MCP client, and what to do with it. */
export interface ClientSnippet extends Snippet {
  readonly how: string;
}

/** Where MCP clients find the server; `server` is its address, without a trailing slash. */
export function mcpAddress(server: string): string {
  return `${server}/mcp`;
}

/**
 * What MCP clients need to connect, in the form that each of them reads.
 *
 * @param key a secret, or what stands for it
 */
export function mcpClients(server: string, key: string): ClientSnippet[] {
  const url = mcpAddress(server);
  const authorization = `Bearer ${key}`;
  const headers = { Authorization: authorization };
  const address = { what: "the address", text: url };
  return [
    {
      title: "Claude Code",
      how: "Run this in a terminal.",
      what: "the command",
      text: `claude mcp add --transport http coffer "${url}" --header "Authorization: ${authorization}"`,
    },
    {
      title: "Claude and Claude Desktop",
      how: `In the settings, under Connectors, add a custom connector with this address. ${SIGNS_IN}`,
      ...address,
    },
    {
      title: "ChatGPT",
      how: `In the settings, under Apps, turn on developer mode in the advanced settings. Then create an app with this address and OAuth. ${SIGNS_IN}`,
      ...address,
    },
    {
      title: "VS Code",
      how: "Save this as .vscode/mcp.json in your project, or add it to what is there. The file holds the key: keep it to yourself.",
      what: "the configuration",
      text: json({ servers: { coffer: { type: "http", url, headers } } }),
    },
    {
      title: "Cursor",
      how: "Save this as .cursor/mcp.json in your home directory, or add it to what is there.",
      what: "the configuration",
      text: json({ mcpServers: { coffer: { url, headers } } }),
    },
  ];
}

const SIGNS_IN =
  "It sends you here to sign in, and needs no key. This server must be on the internet, at an https address.";

function json(configuration: object): string {
  return JSON.stringify(configuration, null, 2);
}
