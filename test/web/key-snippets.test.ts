import { expect, test } from "bun:test";
import { snippetsFor } from "../../web/lib/words/key-snippets.ts";
import { mcpClients } from "../../web/lib/words/mcp-clients.ts";

const SERVER = "https://drive.example";
const MCP = `${SERVER}/mcp`;
const headers = { Authorization: "Bearer cof_key" };
const clients = new Map(mcpClients(SERVER, "cof_key").map(({ title, text }) => [title, text]));

test("the snippets of a key hold what an agent needs", () => {
  const key = { secret: "cof_key", readOnly: true, drive: "ada/notes", folder: "river/", server: SERVER };
  expect(snippetsFor(key).map(({ text }) => text)).toEqual([
    expect.stringContaining(
      `curl "${SERVER}/v0/files?drive_id=ada/notes" -H "Authorization: ${headers.Authorization}"`,
    ),
    expect.stringContaining('export DRIVE_API_KEY="cof_key"'),
    expect.stringMatching(
      /cof_key[^]*read-only access to the folder "river\/" of the drive "ada\/notes"[^]*\/skill\.md[^]*\/docs\/openapi\.json/,
    ),
  ]);
});

test("the configuration of each MCP client holds the address, and the key where it does not sign in", () => {
  expect(clients.get("Claude Code")).toBe(
    `claude mcp add --transport http coffer "${MCP}" --header "Authorization: Bearer cof_key"`,
  );
  for (const title of ["Claude and Claude Desktop", "ChatGPT"]) expect(clients.get(title)).toBe(MCP);
  expect(JSON.parse(clients.get("VS Code") ?? "")).toEqual({
    servers: { coffer: { type: "http", url: MCP, headers } },
  });
  expect(JSON.parse(clients.get("Cursor") ?? "")).toEqual({ mcpServers: { coffer: { url: MCP, headers } } });
});
