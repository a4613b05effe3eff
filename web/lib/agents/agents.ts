import { curlPastes, programPastes } from "./http-pastes.ts";
import type { NewKey, Paste } from "./pastes.ts";
import { sentenceSpace } from "../words/format.ts";
import { mark, type PlainMessage, t } from "../words/text.ts";

/** A program that can be connected: with a key, or by its person, who signs in from it. `t()` is to show its name. */
export type Agent = { readonly name: PlainMessage } & (
  | { readonly signsIn: true; readonly paste: (server: string) => Paste }
  | { readonly signsIn: false; readonly pastes: (server: string, key: NewKey) => readonly Paste[] }
);

/** The agents that can be connected; the first is the default. `server` is an address without a trailing slash. */
export const AGENTS: readonly [Agent, ...Agent[]] = [
  withCommand(
    mark("Claude Code"),
    // The header comes last, as it may have several values.
    (url, authorization) =>
      `claude mcp add --transport http --scope user coffer "${url}" --header "Authorization: ${authorization}"`,
  ),
  signingIn(
    mark("Claude on the web, desktop and phone"),
    mark("In Claude, under Customize and Connectors, add a custom connector with this address."),
  ),
  signingIn(
    mark("ChatGPT"),
    mark(
      "In the settings of ChatGPT, under Apps, turn on developer mode in the advanced settings. Then create an app with this address and OAuth.",
    ),
  ),
  withFile(
    mark("VS Code"),
    mark("Save this as .vscode/mcp.json in your project, or add it to what is there."),
    (url, Authorization) => json({ servers: { coffer: { type: "http", url, headers: { Authorization } } } }),
  ),
  withFile(
    mark("Cursor"),
    mark("Save this as .cursor/mcp.json in your home directory, or add it to what is there."),
    (url, Authorization) => json({ mcpServers: { coffer: { url, headers: { Authorization } } } }),
  ),
  withFile(
    mark("Codex"),
    mark("Add this to .codex/config.toml in your home directory."),
    (url, authorization) =>
      `[mcp_servers.coffer]\nurl = "${url}"\nhttp_headers = { Authorization = "${authorization}" }`,
  ),
  withCommand(
    mark("Gemini CLI"),
    (url, authorization) =>
      `gemini mcp add --transport http --scope user coffer "${url}" --header "Authorization: ${authorization}"`,
  ),
  withFile(
    mark("Another MCP client"),
    mark("Most clients read something like this. Those that can sign in need only the address in it."),
    (url, Authorization) =>
      json({ mcpServers: { coffer: { type: "http", url, headers: { Authorization } } } }),
  ),
  { name: mark("Your own program"), signsIn: false, pastes: programPastes },
  { name: mark("curl"), signsIn: false, pastes: curlPastes },
];

/** Makes a text of the address of the MCP server and the value of the header `Authorization`. */
type Configure = (url: string, authorization: string) => string;

function withCommand(name: PlainMessage, command: Configure): Agent {
  return withKey(name, () => ({ how: t("Run this in a terminal:"), what: t("copy|the command") }), command);
}

function withFile(name: PlainMessage, how: PlainMessage, content: Configure): Agent {
  return withKey(
    name,
    () => ({
      how: `${t(how)}${sentenceSpace()}${t("It holds the key: keep it to yourself.")}`,
      what: t("copy|the configuration"),
    }),
    content,
  );
}

function withKey(name: PlainMessage, paste: () => Omit<Paste, "text">, configure: Configure): Agent {
  const text = (server: string, key: NewKey) => configure(mcpAddress(server), `Bearer ${key.secret}`);
  return { name, signsIn: false, pastes: (server, key) => [{ ...paste(), text: text(server, key) }] };
}

function signingIn(name: PlainMessage, how: PlainMessage): Agent {
  return {
    name,
    signsIn: true,
    paste: (server) => ({
      how: `${t(how)}${sentenceSpace()}${t("It sends you here to sign in, and needs no key.")}`,
      what: t("copy|the address"),
      text: mcpAddress(server),
    }),
  };
}

/** Where MCP clients find the server. */
function mcpAddress(server: string): string {
  return `${server}/mcp`;
}

function json(configuration: object): string {
  return JSON.stringify(configuration, null, 2);
}
