import { expect } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { isObject } from "../schemas/json-schema.ts";
import type { Stage, UnclaimedDrive } from "../server/scenario.ts";

/** The two families of protocol revisions, by one of each. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;
export type Revision = (typeof REVISIONS)[number];

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError: boolean;
  /** The JSON of its first text; and `text`, where a text stands beside that. Empty for an error. */
  readonly structured: Record<string, unknown>;
  /** All its texts, one a line. */
  readonly text: string;
  readonly content: readonly { readonly type: string; readonly [name: string]: unknown }[];
}

/** What a tool answered, besides what stands apart. */
export function factsIn([first, second]: ToolAnswer["content"]): Record<string, unknown> {
  const facts: unknown = JSON.parse(String(first?.["text"]));
  if (!isObject(facts)) throw new Error("a tool answered no JSON object");
  return second?.type === "text" ? { ...facts, text: second["text"] } : facts;
}

/** The official client, connected to a Coffer. */
export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** Calls a tool, whatever it answers. */
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  /** Calls a tool that must succeed; what it answered. */
  get(name: string, args?: Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Calls a tool that must fail; what it said. */
  refused(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Calls a tool that must fail, and say something that begins so, or matches. */
  refuses(name: string, args: Record<string, unknown>, said: string | RegExp): Promise<void>;
}

/** Connects the official client, with this key; without one, as anybody. */
export async function connectMcp(
  base: string,
  key?: string,
  revision: Revision = "2026-07-28",
): Promise<McpClient> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" } },
  );
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { requestInit: { headers } }),
  );
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    const text = content.map((part) => ("text" in part ? part.text : "")).join("\n");
    return { isError: isError === true, structured: isError === true ? {} : factsIn(content), text, content };
  };
  const expected = async (name: string, args: Record<string, unknown>, isError: boolean) => {
    const answer = await call(name, args);
    if (answer.isError !== isError) throw new Error(`${name} answered: ${answer.text}`);
    return answer;
  };
  const refused = async (name: string, args = {}) => (await expected(name, args, true)).text;
  return {
    client,
    call,
    get: async (name, args = {}) => (await expected(name, args, false)).structured,
    refused,
    refuses: async (name, args, said) => {
      const text = await refused(name, args);
      if (typeof said === "string") expect(text).toStartWith(said);
      else expect(text).toMatch(said);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** About as much as a model should read at once. */
export const MOST_CHARACTERS = 40_000;

/** The client of an agent, with its drive, which is empty. */
export interface McpAgent extends McpClient {
  readonly drive: UnclaimedDrive;
  /** Uploads a new file into that. */
  put(path: string, body: string | Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Connects the agent of a new drive. */
export async function connectAgent(stage: Stage): Promise<McpAgent> {
  const drive = await stage.ownDrive();
  const me = await connectMcp(stage.coffer.appliance.url, drive.key);
  return { ...me, drive, put: async (path, body) => void (await drive.client.put(drive.id, path, body)) };
}
