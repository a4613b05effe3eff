import { expect, test } from "bun:test";
import { AGENTS } from "../../web/lib/agents/agents.ts";
import type { NewKey } from "../../web/lib/agents/pastes.ts";

const SERVER = "https://drive.example";
const URL = `${SERVER}/mcp`;
const HEADER = "Authorization: Bearer cof_key";
const headers = { Authorization: "Bearer cof_key" };
const KEY: NewKey = { secret: "cof_key", readOnly: false, drive: "ada/notes", folder: "" };

/** What an agent is given, by its name; JSON as what it says. */
const GIVEN: Readonly<Record<string, readonly unknown[]>> = {
  "Claude Code": [`claude mcp add --transport http --scope user coffer "${URL}" --header "${HEADER}"`],
  "Claude on the web, desktop and phone": [URL],
  ChatGPT: [URL],
  "VS Code": [{ servers: { coffer: { type: "http", url: URL, headers } } }],
  Cursor: [{ mcpServers: { coffer: { url: URL, headers } } }],
  Codex: [{ mcp_servers: { coffer: { url: URL, http_headers: headers } } }],
  "Gemini CLI": [`gemini mcp add --transport http --scope user coffer "${URL}" --header "${HEADER}"`],
  "Another MCP client": [{ mcpServers: { coffer: { type: "http", url: URL, headers } } }],
  "Your own program": [
    "cof_key",
    `export DRIVE_URL="${SERVER}"\nexport DRIVE_API_KEY="cof_key"\nexport DRIVE_ID="ada/notes"`,
    expect.stringContaining(`Send the header "${HEADER}" with every request`),
  ],
  curl: [
    `# the files\ncurl "${SERVER}/v0/files?drive_id=ada/notes" -H "${HEADER}"\n\n` +
      `# an upload\ncurl -T notes.md "${SERVER}/v0/files?drive_id=ada/notes&path=notes.md" -H "${HEADER}"`,
  ],
};

test("each agent is given what it reads", () => {
  const given = AGENTS.map((agent) => [agent.name, givenTo(agent.name)]);
  expect(Object.fromEntries(given)).toEqual(GIVEN);
});

test.each<[reach: string, key: Partial<NewKey>, given: Readonly<Record<string, unknown[]>>]>([
  [
    "one folder, to read",
    { readOnly: true, folder: "river/" },
    {
      curl: [`# the files\ncurl "${SERVER}/v0/files?drive_id=ada/notes" -H "${HEADER}"`],
      "Your own program": [
        "cof_key",
        expect.stringContaining('DRIVE_ID="ada/notes"'),
        expect.stringMatching(
          /read-only access to the folder "river\/" of the drive "ada\/notes"(?![^]*PUT)/,
        ),
      ],
    },
  ],
  [
    "one folder, to write",
    { folder: "río/" },
    { curl: [expect.stringContaining("&path=r%C3%ADo%2Fnotes.md")] },
  ],
  [
    "all drives",
    { drive: null },
    {
      curl: [`# the drives\ncurl "${SERVER}/v0/drives" -H "${HEADER}"`],
      "Your own program": [
        "cof_key",
        `export DRIVE_URL="${SERVER}"\nexport DRIVE_API_KEY="cof_key"`,
        expect.stringContaining("all drives of my account"),
      ],
    },
  ],
])("a program is told that its key reaches %s", (_, key, given) => {
  for (const [name, texts] of Object.entries(given)) {
    expect([name, givenTo(name, key)]).toEqual([name, texts]);
  }
});

/** What an agent is given. */
function givenTo(name: string, key: Partial<NewKey> = {}): unknown[] {
  const agent = AGENTS.find((each) => each.name === name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  const pastes = agent.signsIn ? [agent.paste(SERVER)] : agent.pastes(SERVER, { ...KEY, ...key });
  return pastes.map(({ text }) => read(text));
}

/** A configuration as its format says. */
function read(text: string): unknown {
  if (text.startsWith("{")) return JSON.parse(text);
  return text.startsWith("[") ? Bun.TOML.parse(text) : text;
}
