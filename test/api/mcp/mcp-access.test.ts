import { describe, expect, test } from "bun:test";
import { type Answer, Client, type Json } from "../../support/server/client.ts";
import { fillJson, openStageNow, provision, startWithDrive } from "../../support/server/scenario.ts";
import { signIn } from "../../support/server/sign-in.ts";
import { expectRefused } from "../../support/server/answers.ts";
import { testWith } from "../../support/server/test-with.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { connectMcp } from "../../support/peers/mcp.ts";
import {
  everybody,
  everyone,
  history,
  type Expectations,
  forAdas,
  looking,
  type Owner,
  reading,
  writing,
  writingAt,
} from "../../support/server/routes.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { CALLERS, type CallerName } from "../../support/server/world.ts";

const stage = await openStageNow();

const isReader = (caller: CallerName) => caller.endsWith("Reader");

/** What a tool says that does not do what it was asked, by the status of a request for the same. */
const SAID = new Map([
  [403, "FORBIDDEN"],
  [404, "NOT_FOUND"],
]);

/** What a caller is answered: an HTTP status for what is refused, else whether the tool did it or named an error. */
function outcomeOf(of: Expectations, owner: Owner, caller: CallerName): number | string {
  const status = of[owner][caller];
  if (status === 200) return "done";
  return status === 401 || (status === 403 && isReader(caller)) ? status : (SAID.get(status) ?? status);
}

const drive = "{drive}";
const AT = { drive, path: "{path}" };

const { agent: ofAgent, ada: ofAda } = writing(200);
const [alone, narrow] = [
  { adaDrive: 403, adaDriveApp: 403 },
  { adaPrefix: 403, adaBeside: 403 },
];
/** For what makes a drive in one's account from one that is seen. */
const forking = { agent: { ...ofAgent, agent: 403 }, ada: { ...ofAda, ...alone, ...narrow } };

/** What each tool, and each action of it that others may do, is given; `{path}` is a file made for this call, and `{id}` its id. */
const CALLS: Readonly<Record<string, readonly [args: Record<string, Json>, of: Expectations]>> = {
  provision_drive: [{ name: "New" }, everybody({ writers: 200, readers: 403 })],
  list_drives: [{}, everyone],
  list_files: [{ drive }, looking(200)],
  read_file: [AT, reading(200)],
  fetch: [{ id: "{id}" }, reading(200)],
  grep: [{ drive, pattern: "hello" }, looking(200)],
  create_folder: [{ drive, path: "{path}-folder/" }, writingAt(200)],
  write_file: [{ ...AT, text: "new" }, writingAt(200)],
  edit_file: [{ ...AT, op: "str_replace", old_string: "hello", new_string: "" }, writingAt(200)],
  append_file: [{ ...AT, text: "more" }, writingAt(200)],
  move: [{ ...AT, destination_path: "{path}-moved" }, writingAt(200)],
  copy: [{ ...AT, destination_path: "{path}-copy" }, writing(200)],
  delete: [{ drive, paths: ["{path}"] }, writingAt(200)],
  undo: [AT, writingAt(200)],
  "comments add": [{ ...AT, text: "Why?" }, writingAt(200)],
  "comments list": [{ drive }, looking(200)],
  // A snapshot is of the whole drive: it shows a key of a folder no more than that.
  "snapshot create": [{ drive }, forAdas(writing(200), { adaBeside: 200 })],
  "snapshot list": [{ drive }, history(looking(200))],
  "snapshot fork": [{ drive, name: "Fork" }, forking],
  search: [{ drive, query: "hello" }, looking(200)],
  "share download": [AT, writing(200)],
  "share upload": [AT, writingAt(200)],
  "share page": [AT, writingAt(200)],
  "share list": [{ drive }, looking(200)],
  "versions list": [AT, history(reading(200))],
  "versions read": [{ ...AT, version: 1 }, history(reading(200))],
  "versions diff": [AT, history(reading(200))],
  "versions restore": [{ ...AT, version: 1 }, writingAt(200)],
  changes: [{ drive }, looking(200)],
};

/** A message, as a program without a library sends it. */
function message(method: string, params: Json = {}): { readonly body: Json } {
  return { body: { jsonrpc: "2.0", id: 1, method, params } };
}

/** Calls a tool without a key in the header. */
function call(
  at: TestAppliance,
  name: string,
  args: Json,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return at.client().send("POST", "/mcp", { ...message("tools/call", { name, arguments: args }), headers });
}

/** What a tool answered. */
interface Answered {
  readonly result?: { readonly isError?: boolean; readonly content?: { readonly text: string }[] };
}

/** Whether a tool failed, and what it said. */
function saidBy({ text }: { text: string }): [boolean, string | undefined] {
  const { result }: Answered = JSON.parse(text);
  return [result?.isError === true, result?.content?.[0]?.text];
}

/** Whether a tool takes a key. */
function asks({ inputSchema }: { inputSchema: object }): boolean {
  const schema = JSON.stringify(inputSchema);
  return ['"properties":{"api_key":', '"required":["api_key"'].every((part) => schema.includes(part));
}

await using ada = await connectMcp(stage.coffer.appliance.url, stage.world.keys.ada);
const listed = (await ada.client.listTools()).tools.map(({ name }) => name);

function toolOf(row: string): string {
  return row.split(" ")[0] ?? "";
}

test("the table names every tool", () => {
  expect(new Set(Object.keys(CALLS).map(toolOf))).toEqual(new Set(listed));
});

const ASKED = (["agent", "ada"] as const).flatMap((owner) =>
  CALLERS.map((caller) => [owner, caller] as const),
);

const ROWS = Object.entries(CALLS).map(([row, entry], at) => [row, entry, at] as const);

describe.each(ROWS)("%s", (row, [args, of], at) => {
  const [name = "", action] = row.split(" ");
  const given = action === undefined ? args : { ...args, action };
  // Who may do what is decided below MCP. Each asks every other tool in an ordinary run.
  test.each(ASKED.filter((_, index) => isThorough() || (index + at) % 2 === 0))(
    "about %s's, asked by %s",
    async (owner, caller) => {
      const path = `notes/${crypto.randomUUID()}.txt`;
      const { drives, clients } = stage.world;
      const client = clients[owner];
      const expected = outcomeOf(of, owner, caller);
      await client.store(drives[owner], path, "hell");
      const id = await client.store(drives[owner], path, "hello");
      const filled = fillJson(given, { drive: drives[owner], path, id });
      const asked = message("tools/call", { name, arguments: filled });
      const { status, text } = await clients[caller].send("POST", "/mcp", asked);
      const { result }: Answered = JSON.parse(text);
      const outcome =
        status !== 200 ? status : result?.isError === true ? result.content?.[0]?.text.split(":")[0] : "done";
      expect([outcome, text]).toEqual([expected, text]);
      // Whoever is refused learns nothing of the file, and changes nothing.
      if (expected !== "done") {
        expect(text).not.toContain("hello");
        const kept = await client.send("GET", `/v0/files/${id}/download`);
        expect(kept.text).toBe("hello");
      }
    },
  );
});

test("a reader sees the reading tools only, everybody else all of them", async () => {
  for (const caller of CALLERS) {
    if (caller === "liar" || caller === "nobody") continue;
    await using client = await connectMcp(stage.coffer.appliance.url, stage.world.keys[caller]);
    const { tools } = await client.client.listTools();
    const readable = Object.keys(CALLS).filter((row) => CALLS[row]?.[1].agent.agentReader === 200);
    const names = listed.filter((name) => !isReader(caller) || readable.map(toolOf).includes(name));
    expect([caller, tools.map(({ name }) => name)]).toEqual([caller, names]);
    for (const { annotations } of isReader(caller) ? tools : []) expect(annotations?.readOnlyHint).toBe(true);
  }
});

const OPEN = ["initialize", "ping", "server/discover", "tools/list", "notifications/initialized"];
const CLOSED = [
  "resources/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "subscriptions/listen",
];
const EVERY = [...OPEN, ...CLOSED, "tools/call"];

describe("without a valid key", () => {
  test.each(EVERY)("%j is sent to sign in where somebody can", async (method) => {
    const { nobody } = stage.world.clients;
    const answer = await nobody.send("POST", "/mcp", message(method));
    expectRefused(answer, "UNAUTHORIZED");
    expect(answer.headers.get("www-authenticate")).toContain(
      `resource_metadata="${stage.coffer.appliance.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(answer.text).toContain("/v0/drives/provision");
    for (const authorization of ["Bearer nobody", "Basic eDp5", "Bearer", "x"]) {
      const sent = { ...message(method), headers: { authorization } };
      expect([authorization, await nobody.status("POST", "/mcp", sent)]).toEqual([authorization, 401]);
    }
  });

  test("a session is not looked at", async () => {
    const { coffer, world } = stage;
    const headers = { cookie: (await signIn(coffer, "ada")).cookie, origin: coffer.appliance.url };
    expect((await call(coffer, "list_drives", {}, headers)).status).toBe(401);
    expect(await world.clients.nobody.status("GET", "/v0/drives", { headers })).toBe(200);
  });

  test("nothing at all may be asked where drives need an account", async () => {
    await using coffer = await startAppliance({ provisioning: "off" });
    for (const method of EVERY) {
      const { status, text } = await coffer.client().send("POST", "/mcp", message(method));
      expect([method, status]).toEqual([method, 401]);
      expect(text).not.toContain("provision_drive");
    }
  });
});

const it = testWith(startWithDrive);
/** With other characters at its end, so no key. */
const wrongOf = (key: string) => key.replace(/[0-9a-f]{4}$/, "zzzz");

describe("where nobody has an account", () => {
  it("anybody may ask for little, and nothing else is offered", async (coffer) => {
    const anyone = coffer.client();
    const statuses = await Array.fromAsync(OPEN, (method) => anyone.status("POST", "/mcp", message(method)));
    expect(statuses).toEqual(OPEN.map(() => 200));
    for (const method of CLOSED) {
      const { status, headers } = await anyone.send("POST", "/mcp", message(method));
      expect([method, status, headers.get("www-authenticate")]).toEqual([method, 401, "Bearer"]);
    }
    await using anybody = await connectMcp(coffer.appliance.url);
    expect(anybody.client.getServerCapabilities()).toEqual({ tools: {} });
  });

  it("each tool but provision_drive asks for a key, and only of those who send none", async (coffer) => {
    await using anybody = await connectMcp(coffer.appliance.url);
    await using agent = await connectMcp(coffer.appliance.url, coffer.own.key);
    const { tools } = await anybody.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(listed);
    // About 8,000 tokens.
    expect(JSON.stringify(tools).length).toBeLessThan(32_000);
    expect(tools.filter((tool) => !asks(tool)).map(({ name }) => name)).toEqual(["provision_drive"]);
    expect((await agent.client.listTools()).tools.filter(asks)).toEqual([]);
  });

  it("a call without a valid key says what to do, to the model", async (coffer) => {
    const wrong = wrongOf(coffer.own.key);
    for (const args of [{}, { api_key: null }, { api_key: wrong }, { api_key: "" }, { api_key: 1 }]) {
      const answer = await call(coffer, "list_drives", args);
      const said = expect.stringMatching(/^UNAUTHORIZED: .*api_key.*provision_drive/);
      expect([answer.status, ...saidBy(answer)]).toEqual([200, true, said]);
      expect(answer.text).not.toContain(wrong);
    }
  });

  it("a key in the arguments does what it may, for one call", async (coffer) => {
    const reader = await coffer.own.client.makeKey({ scope: "read-only" });
    const args = { api_key: coffer.own.key, path: "a.md", text: "one" };
    const said = async (name: string, more: Json) => saidBy(await call(coffer, name, more));
    expect((await said("write_file", args))[0]).toBe(false);
    expect((await said("read_file", { api_key: reader.key, path: "a.md" }))[0]).toBe(false);
    const refusal = expect.stringMatching(/^FORBIDDEN: This key is read-only/);
    expect(await said("write_file", { ...args, api_key: reader.key })).toEqual([true, refusal]);
    expect((await said("read_file", { path: "a.md" }))[0]).toBe(true);
  });

  it("a key in the header is the one, and no other is taken", async (coffer) => {
    const other = await provision(coffer);
    const args = { api_key: coffer.own.key };
    const answer = await call(coffer, "list_drives", args, { authorization: `Bearer ${other.key}` });
    expect(saidBy(answer)).toEqual([true, "VALIDATION_ERROR: api_key is not needed here. Leave it out."]);
    const statusOf = async (headers: Record<string, string>) =>
      (await call(coffer, "list_drives", args, headers)).status;
    expect(await statusOf({ authorization: "Bearer x" })).toBe(401);
    expect(await statusOf({ origin: "https://evil.example" })).toBe(403);
    expect(saidBy(await call(coffer, "provision_drive", { name: "X", ...args }))[0]).toBe(true);
  });

  it("a call that is too long without a key in the header says so, as do the instructions", async (coffer) => {
    const args = { api_key: coffer.own.key, path: "long.md", text: "word ".repeat(4000) };
    const { status, text } = await call(coffer, "write_file", args);
    expect([status, text]).toEqual([413, expect.stringContaining("send a key in the Authorization header")]);
    await using anybody = await connectMcp(coffer.appliance.url);
    expect(anybody.client.getInstructions()).toContain("may have 16 KiB");
    const { text: begun, ...rest } = args;
    expect(saidBy(await call(coffer, "write_file", { ...rest, text: begun.slice(0, 9000) }))[0]).toBe(false);
    expect(saidBy(await call(coffer, "append_file", { ...rest, text: begun.slice(9000) }))[0]).toBe(false);
  });

  test("a call counts as a request of the key that it brings, and as no other", async () => {
    await using limited = await startWithDrive({ "rate-limits": "free=3,pro=3,team=3" });
    const { client, key } = limited.own;
    const left = async (api_key: string) => {
      const answer = await call(limited, "list_drives", { api_key });
      const [, said = ""] = saidBy(answer);
      return `${answer.status} ${answer.headers.get("x-ratelimit-remaining")} ${said.split(":")[0]}`;
    };
    const asked = await Array.fromAsync([key, key, key], left);
    expect(asked.map((each) => each.slice(0, 5))).toEqual(["200 2", "200 1", "200 0"]);
    expect(await left(key)).toBe("200 0 RATE_LIMITED");
    expect((await client.send("GET", "/v0/drives")).status).toBe(429);
    // The drive was made by this address; what it guesses counts as well.
    const wrong = wrongOf(key);
    const guessed = await Array.fromAsync([wrong, wrong, wrong, key], left);
    const said = guessed.map((each) => each.split(" ").at(-1));
    expect(said).toEqual(["UNAUTHORIZED", "UNAUTHORIZED", "RATE_LIMITED", "RATE_LIMITED"]);
  });

  it("neither the log nor the database has it, and it ends when it is revoked", async (coffer) => {
    const { client, key: api_key } = coffer.own;
    const before = coffer.lines.length;
    await call(coffer, "write_file", { api_key, path: "b.md", text: "two" });
    await call(coffer, "write_file", { api_key, text: 3 });
    await call(coffer, "no_such_tool", { api_key });
    await call(coffer, "provision_drive", { api_key });
    const lines = coffer.lines.slice(before);
    expect(lines.filter((line) => line.includes('"call":"tools/call write_file"')).length).toBe(2);
    expect(lines.filter((line) => line.includes(api_key))).toEqual([]);
    const [{ id }] = await client.get<[{ id: string }]>("/v0/keys");
    expect(lines.filter((line) => line.includes(id)).length).toBe(3);
    await client.delete(`/v0/keys/${id}`);
    expect(saidBy(await call(coffer, "list_drives", { api_key }))[0]).toBe(true);
  });

  it("a conversation that has a key goes on when somebody gets an account", async (coffer) => {
    const { key } = coffer.own;
    await coffer.appliance.services.users.createFromShell("ada", "long enough");
    expect((await call(coffer, "list_drives", { api_key: key })).status).toBe(200);
    for (const args of [{}, { api_key: wrongOf(key) }]) {
      const { status, headers } = await call(coffer, "list_drives", args);
      const told = [status, headers.get("www-authenticate")];
      expect(told).toEqual([401, expect.stringContaining("resource_metadata")]);
    }
  });
});

/** The status of a message from a page of this origin. */
function ask(client: Client, origin: string, headers: Record<string, string> = {}): Promise<number> {
  return client.status("POST", "/mcp", { ...message("tools/list"), headers: { origin, ...headers } });
}

/** The same of a page that came from here, by this name. */
function askAs({ appliance }: TestAppliance, host: string): Promise<number> {
  return ask(new Client(appliance.url), `http://${host}`, { host });
}

describe("pages of other sites", () => {
  test.each(["https://evil.example", "null", "http://127.0.0.1:1"])(
    "%s may not ask without a key",
    async (origin) => {
      const { nobody, agent } = stage.world.clients;
      expect([await ask(nobody, origin), await ask(agent, origin)]).toEqual([403, 200]);
    },
  );

  test("a name that was made to lead here may not, unless it is the configured one", async () => {
    const { coffer } = stage;
    const { port } = new URL(coffer.appliance.url);
    expect(await askAs(coffer, "evil.example")).toBe(403);
    // Asked to sign in, so not refused for where it came from.
    for (const own of ["localhost", "127.0.0.1", "[::1]"])
      expect(await askAs(coffer, `${own}:${port}`)).toBe(401);
    await using named = await startAppliance({ "base-url": "http://drive.example" });
    expect(await askAs(named, "drive.example")).toBe(200);
    expect(await askAs(named, "evil.example")).toBe(403);
  });
});
