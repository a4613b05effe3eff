import { expect, test } from "bun:test";
import { mcpClients } from "../../web/lib/words/mcp-clients.ts";

const URL = "https://drive.example/mcp";
const texts = new Map(mcpClients("https://drive.example", "cof_key").map(({ title, text }) => [title, text]));
const headers = { Authorization: "Bearer cof_key" };

test("the command for Claude Code holds the address and the key", () => {
  expect(texts.get("Claude Code")).toBe(
    `claude mcp add --transport http coffer "${URL}" --header "Authorization: Bearer cof_key"`,
  );
});

test.each(["Claude and Claude Desktop", "ChatGPT"])("%s gets the address alone: it signs in", (title) => {
  expect(texts.get(title)).toBe(URL);
});

test("the files of VS Code and of Cursor are JSON, each in its own form", () => {
  expect(JSON.parse(texts.get("VS Code") ?? "")).toEqual({
    servers: { coffer: { type: "http", url: URL, headers } },
  });
  expect(JSON.parse(texts.get("Cursor") ?? "")).toEqual({ mcpServers: { coffer: { url: URL, headers } } });
});
