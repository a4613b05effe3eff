import { beforeAll, describe, expect, test } from "bun:test";
import type { Json } from "../support/client.ts";
import { openStage } from "../support/scenario.ts";
import { signIn } from "../support/sign-in.ts";
import { startAppliance } from "../support/appliance.ts";
import { connectMcp } from "../support/mcp.ts";
import { CALLERS, type CallerName } from "../support/world.ts";

const stage = openStage();

/** What a caller is answered: an HTTP status for what is refused, else whether the tool did it or named an error. */
type Outcome = 401 | 403 | "done" | "NOT_FOUND" | "FORBIDDEN" | "VALIDATION_ERROR";
type Outcomes = Readonly<Record<CallerName, Outcome>>;
const OWNERS = ["agent", "ada"] as const;
/** What callers are answered about the drive of an owner. */
type Table = Readonly<Record<(typeof OWNERS)[number], Outcomes>>;

const STRANGERS = { nobody: 401, liar: 401, otherAgent: "NOT_FOUND", bob: "NOT_FOUND" } as const;
const ADAS = { ada: "NOT_FOUND", adaDrive: "NOT_FOUND", carol: "NOT_FOUND", dan: "NOT_FOUND" } as const;

/** For tools that read a file in `notes/`. */
function reading(beside: Outcome = "NOT_FOUND"): Table {
  const hidden = { adaReader: "NOT_FOUND", adaPrefix: "NOT_FOUND", adaPrefixReader: "NOT_FOUND" } as const;
  const members = { carol: "done", dan: "done", adaPrefix: "done", adaPrefixReader: "done" } as const;
  return {
    agent: { ...STRANGERS, ...ADAS, ...hidden, adaBeside: "NOT_FOUND", agent: "done", agentReader: "done" },
    ada: {
      ...STRANGERS,
      ...members,
      agent: "NOT_FOUND",
      agentReader: "NOT_FOUND",
      ada: "done",
      adaReader: "done",
      adaDrive: "done",
      adaBeside: beside,
    },
  };
}

/** For tools that show of a drive what a caller may see. */
function looking(): Table {
  return reading("done");
}

/** For tools that change a file in `notes/`. */
function writing(beside: Outcome = "FORBIDDEN"): Table {
  const { agent, ada } = reading(beside);
  const readers = { agentReader: 403, adaReader: 403, adaPrefixReader: 403 } as const;
  return { agent: { ...agent, ...readers }, ada: { ...ada, ...readers, carol: "FORBIDDEN" } };
}

/** For tools that answer everybody about what is theirs. */
function everybody(others: Partial<Outcomes> = {}): Table {
  const all: Outcomes = {
    nobody: 401,
    liar: 401,
    agent: "done",
    agentReader: "done",
    otherAgent: "done",
    ada: "done",
    adaReader: "done",
    adaDrive: "done",
    bob: "done",
    carol: "done",
    dan: "done",
    adaPrefix: "done",
    adaPrefixReader: "done",
    adaBeside: "done",
    ...others,
  };
  return { agent: all, ada: all };
}

/** What each tool is given; `{path}` is a file made for this call. */
const CALLS: Readonly<Record<string, { readonly args: Record<string, Json>; readonly of: Table }>> = {
  provision_drive: {
    args: { name: "New" },
    of: everybody({ nobody: "done", agentReader: 403, adaReader: 403, adaPrefixReader: 403 }),
  },
  list_drives: { args: {}, of: everybody() },
  list_files: { args: { drive: "{drive}" }, of: looking() },
  read_file: { args: { drive: "{drive}", path: "{path}" }, of: reading() },
  fetch: { args: { id: "{id}" }, of: reading() },
  grep: { args: { drive: "{drive}", pattern: "hello" }, of: looking() },
  create_folder: { args: { drive: "{drive}", path: "{path}-folder/" }, of: writing() },
  write_file: { args: { drive: "{drive}", path: "{path}", text: "new" }, of: writing() },
  edit_file: {
    args: { drive: "{drive}", path: "{path}", op: "str_replace", old_string: "hello", new_string: "" },
    of: writing(),
  },
  append_file: { args: { drive: "{drive}", path: "{path}", text: "more" }, of: writing() },
  move_file: {
    args: { drive: "{drive}", path: "{path}", destination_path: "{path}-moved" },
    of: writing(),
  },
  copy_file: {
    args: { drive: "{drive}", path: "{path}", destination_path: "{path}-copy" },
    of: writing("NOT_FOUND"),
  },
  delete_files: { args: { drive: "{drive}", paths: ["{path}"] }, of: writing() },
  undo: { args: { drive: "{drive}", path: "{path}" }, of: writing() },
  // A snapshot is of the whole drive: it shows a key of a folder no more than that.
  snapshot: { args: { drive: "{drive}", action: "create" }, of: writing("done") },
  search: { args: { drive: "{drive}", query: "hello" }, of: looking() },
  create_upload_link: { args: { drive: "{drive}", path: "{path}" }, of: writing() },
  share_file: { args: { drive: "{drive}", path: "{path}" }, of: writing("NOT_FOUND") },
};

/** A message, as a program without a library sends it. */
function message(method: string, params: Json = {}): { readonly body: Json } {
  return { body: { jsonrpc: "2.0", id: 1, method, params } };
}

/** What a tool answered. */
interface Answered {
  readonly result?: { readonly isError?: boolean; readonly content?: { readonly text: string }[] };
}

let listed: string[];
beforeAll(async () => {
  await using anybody = await connectMcp(stage.coffer.appliance.url);
  listed = (await anybody.client.listTools()).tools.map(({ name }) => name);
});

test("the table names every tool", () => {
  expect(Object.keys(CALLS).toSorted()).toEqual(listed.toSorted());
});

const ASKED = OWNERS.flatMap((owner) => CALLERS.map((caller) => [owner, caller] as const));

describe.each(Object.entries(CALLS))("%s", (name, { args, of }) => {
  test.each(ASKED)("about %s's, asked by %s", async (owner, caller) => {
    const path = `notes/${crypto.randomUUID()}.txt`;
    const drive = stage.world.drives[owner];
    const client = stage.world.clients[owner];
    const expected = of[owner][caller];
    const { id } = await client.json<{ id: string }>(201, "PUT", `/v0/files?drive_id=${drive}&path=${path}`, {
      body: "hello",
    });
    const filled: Json = JSON.parse(
      JSON.stringify(args).replaceAll("{drive}", drive).replaceAll("{path}", path).replaceAll("{id}", id),
    );
    const { status, text } = await stage.world.clients[caller].send(
      "POST",
      "/mcp",
      message("tools/call", { name, arguments: filled }),
    );
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
  });
});

test("a reader sees the reading tools only, everybody else all of them", async () => {
  for (const caller of CALLERS) {
    if (caller === "liar") continue;
    await using client = await connectMcp(stage.coffer.appliance.url, stage.world.keys[caller]);
    const { tools } = await client.client.listTools();
    const isReader = caller.endsWith("Reader");
    const names = listed.filter((name) => !isReader || CALLS[name]?.of.agent.agentReader === "done");
    expect([caller, tools.map(({ name }) => name)]).toEqual([caller, names]);
    for (const { annotations } of isReader ? tools : []) expect(annotations?.readOnlyHint).toBe(true);
  }
});

describe("without a valid key", () => {
  const open = ["initialize", "ping", "server/discover", "tools/list", "notifications/initialized"];
  const closed = [
    "tools/call",
    "resources/list",
    "resources/read",
    "completion/complete",
    "subscriptions/listen",
  ];

  test.each(open)("%j may be asked", async (method) => {
    const { status } = await stage.world.clients.nobody.send("POST", "/mcp", message(method));
    expect(status).toBeOneOf([200, 202]);
  });

  test.each(closed)("%j is refused, and told how to begin", async (method) => {
    const { status, text } = await stage.world.clients.nobody.send("POST", "/mcp", message(method));
    expect([status, JSON.parse(text)]).toMatchObject([401, { error: { code: "UNAUTHORIZED" } }]);
    expect(text).toContain("provision_drive");
  });

  test.each([...open, ...closed])("%j is refused with a wrong one", async (method) => {
    for (const authorization of ["Bearer nobody", "Basic eDp5", "Bearer", "x"]) {
      const { status } = await stage.world.clients.nobody.send("POST", "/mcp", {
        ...message(method),
        headers: { authorization },
      });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
  });

  test("a session is not looked at", async () => {
    await using coffer = await startAppliance();
    await coffer.appliance.services.users.createFromShell("ada", "long enough");
    const ada = await signIn(coffer, "ada", "long enough");
    const headers = { cookie: ada.cookie, origin: coffer.appliance.url };
    const call = message("tools/call", { name: "list_drives" });
    expect((await coffer.client().send("POST", "/mcp", { ...call, headers })).status).toBe(401);
    expect((await coffer.client().send("GET", "/v0/drives", { headers })).status).toBe(200);
  });

  test("nothing at all may be asked where drives need an account", async () => {
    await using coffer = await startAppliance({ provisioning: "off" });
    for (const method of [...open, ...closed]) {
      const { status, text } = await coffer.client().send("POST", "/mcp", message(method));
      expect([method, status]).toEqual([method, 401]);
      expect(text).not.toContain("provision_drive");
    }
  });
});

/** The status of a message from a page at this host. */
async function askAs(url: string, host: string): Promise<number> {
  const { status } = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { host, origin: `http://${host}` },
    body: JSON.stringify(message("tools/list").body),
  });
  return status;
}

describe("pages of other sites", () => {
  const list = message("tools/list");

  test.each(["https://evil.example", "null", "http://127.0.0.1:1"])(
    "%s may not ask without a key",
    async (origin) => {
      const { nobody, agent } = stage.world.clients;
      expect((await nobody.send("POST", "/mcp", { ...list, headers: { origin } })).status).toBe(403);
      expect((await agent.send("POST", "/mcp", { ...list, headers: { origin } })).status).toBe(200);
    },
  );

  test("a name that was made to lead here may not, unless it is the configured one", async () => {
    const { url, port } = { url: stage.coffer.appliance.url, port: new URL(stage.coffer.appliance.url).port };
    expect(await askAs(url, "evil.example")).toBe(403);
    for (const own of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`])
      expect(await askAs(url, own)).toBe(200);
    await using named = await startAppliance({ "base-url": "http://drive.example" });
    expect(await askAs(named.appliance.url, "drive.example")).toBe(200);
    expect(await askAs(named.appliance.url, "evil.example")).toBe(403);
  });
});
