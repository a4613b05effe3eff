import { expect, test } from "bun:test";
import { SHOWS_LOG, startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { provision } from "../../support/server/scenario.ts";

// What the same tasks cost an agent on plan `free` that does them one file at a time, and one that takes larger steps: in
// requests, in tokens that it writes and reads, and in minutes that it waits for the rate limit. `LOG=1` prints both.

/** About how many characters a token has. */
const TOKEN = 4;
const EDITED = 20;
const TIDIED = 200;
const LINES = { "content-type": "application/jsonl" };

/** What is asked, and what a document says that answers it. */
const QUESTIONS = [
  {
    asked: "how do I add days to a date",
    tried: ["add days", "addDays"],
    path: "docs/add-days.md",
    text: "# addDays\nAdd the specified number of days to the given date.\n",
  },
  {
    asked: "what should happen when a server is too busy",
    tried: ["busy", "backoff"],
    path: "docs/retries.md",
    text: "# Retries\nIf the server is too busy, wait with exponential backoff and try again.\n",
  },
  {
    asked: "where are the old logs compressed",
    tried: ["logs", "compress"],
    path: "docs/rotation.md",
    text: "# Rotation\nEach Sunday, logs older than a week are compressed into cold storage.\n",
  },
];

/** 500 files: pages of which some are drafts, notes to be tidied away, and the documents with the answers. */
const CORPUS: ReadonlyMap<string, string> = new Map([
  ...QUESTIONS.map(({ path, text }) => [path, text] as const),
  ...Array.from({ length: TIDIED }, (_, at) => [`inbox/note-${at}.txt`, `Note ${at}: call back.\n`] as const),
  ...Array.from({ length: 500 - TIDIED - QUESTIONS.length }, (_, at) => {
    const state = at < EDITED ? "draft" : "final";
    return [
      `pages/page-${at}.md`,
      `# Page ${at}\nstate: ${state}\nThis page is about number ${at}.\n`,
    ] as const;
  }),
]);

interface Asked {
  readonly body?: Json;
  readonly headers?: Record<string, string>;
}

class Agent {
  readonly cost = { requests: 0, characters: 0, seconds: 0 };
  readonly drive: string;
  readonly #coffer: TestAppliance;
  readonly #client: Client;

  constructor(coffer: TestAppliance, { id, client }: { readonly id: string; readonly client: Client }) {
    this.#coffer = coffer;
    this.#client = client;
    this.drive = id;
  }

  /** Sends a request, again once the rate limit lets it. Resolves with the text of the answer. */
  async hear(method: string, path: string, asked: Asked = {}): Promise<string> {
    const { body } = asked;
    const said = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
    for (;;) {
      const { status, text, headers } = await this.#client.send(method, path, asked);
      this.cost.requests += 1;
      this.cost.characters += `${method} ${path} ${said}${text}`.length;
      if (status < 300) return text;
      if (status !== 429) throw new Error(`${method} ${path}: ${status} ${text}`);
      const wait = Number(headers.get("retry-after"));
      this.#coffer.clock.advance(wait * 1000);
      this.cost.seconds += wait;
    }
  }

  async ask<T = Record<string, never>>(method: string, path: string, asked: Asked = {}): Promise<T> {
    return JSON.parse(await this.hear(method, path, asked));
  }

  at(path: string): string {
    return `drive_id=${this.drive}&path=${encodeURIComponent(path)}`;
  }

  /** What the drive holds, which costs nothing here. */
  async holds(): Promise<Map<string, string>> {
    const pages = await this.#client.pages<{
      data: { path: string; content_preview: string }[];
      next_cursor: string | null;
    }>(`/v0/files?drive_id=${this.drive}&limit=1000`);
    return new Map(
      pages.flatMap(({ data }) => data.map(({ path, content_preview: text }) => [path, text] as const)),
    );
  }
}

interface Found {
  readonly data: readonly { readonly path: string; readonly content_hash?: string }[];
}

interface Read {
  readonly files: readonly { readonly path: string; readonly etag: string; readonly text: string }[];
}

const final = (text: string) => text.replace("state: draft", "state: final");

/** One file at a time. */
async function stepByStep(agent: Agent): Promise<Map<string, string>> {
  const ids: string[] = [];
  for (const [path, body] of CORPUS) {
    ids.push((await agent.ask<{ id: string }>("PUT", `/v0/files?${agent.at(path)}`, { body })).id);
  }
  const drafts = await agent.ask<Found>("GET", `/v0/grep?drive_id=${agent.drive}&pattern=state:+draft`);
  for (const { path, content_hash: hash = "" } of drafts.data) {
    await agent.ask("GET", `/v0/files/by-path/text?${agent.at(path)}`);
    const if_match = hash.replace("sha256:", "");
    const body = { op: "str_replace", old_string: "state: draft", new_string: "state: final", if_match };
    await agent.ask("POST", `/v0/files/by-path/edit?${agent.at(path)}`, { body });
  }
  const notes = await agent.ask<Found>("GET", `/v0/files?drive_id=${agent.drive}&prefix=inbox/&limit=1000`);
  for (const { path } of notes.data) {
    await agent.ask("POST", `/v0/files/by-path/move?${agent.at(path)}`, {
      body: { destination_path: "archive/" },
    });
  }
  for (const { asked, tried, path } of QUESTIONS) {
    // All words had to match: so a question found nothing.
    for (const q of [`"${asked}"`, ...tried])
      await agent.ask<Found>("GET", `/v0/search?drive_id=${agent.drive}&q=${encodeURIComponent(q)}&limit=5`);
    await agent.hear("GET", `/v0/files/by-path/download?${agent.at(path)}`);
  }
  const made = await agent.holds();
  for (const { path } of notes.data) {
    const body = { destination_path: path };
    await agent.ask("POST", `/v0/files/by-path/move?${agent.at(path.replace("inbox/", "archive/"))}`, {
      body,
    });
  }
  for (const { path } of drafts.data)
    await agent.ask("POST", `/v0/files/by-path/versions/1/restore?${agent.at(path)}`);
  await agent.ask("POST", "/v0/files/bulk-delete", { body: { file_ids: ids } });
  return made;
}

/** Many files at once. */
async function inLargeSteps(agent: Agent): Promise<Map<string, string>> {
  const drive_id = agent.drive;
  const batches: string[] = [];
  const change = async (path: string, asked: Asked) => {
    const { batch_id } = await agent.ask<{ batch_id: string }>("POST", path, asked);
    batches.unshift(batch_id);
  };
  const write = async (files: readonly object[]) => {
    const body = files.map((file) => JSON.stringify(file)).join("\n");
    await change(`/v0/files/batch?drive_id=${drive_id}&fields=path,status`, { body, headers: LINES });
  };
  await write([...CORPUS].map(([path, text]) => ({ path, text })));
  const drafts = await agent.ask<Found>(
    "GET",
    `/v0/grep?drive_id=${drive_id}&pattern=state:+draft&glob=**/*.md&fields=path`,
  );
  const paths = drafts.data.map(({ path }) => path);
  const { files } = await agent.ask<Read>("POST", "/v0/files/read", { body: { drive_id, paths } });
  await write(files.map(({ path, etag, text }) => ({ path, text: final(text), if_match: etag })));
  await change("/v0/paths/move", { body: { drive_id, glob: "inbox/*.txt", destination_path: "archive/" } });
  for (const { asked, path } of QUESTIONS) {
    const q = encodeURIComponent(asked);
    const found = await agent.ask<Found>(
      "GET",
      `/v0/search?drive_id=${drive_id}&q=${q}&limit=3&fields=path,snippet`,
    );
    expect(found.data[0]?.path).toBe(path);
  }
  const made = await agent.holds();
  for (const batch_id of batches) await agent.ask("POST", "/v0/undo", { body: { drive_id, batch_id } });
  return made;
}

test("an agent that takes larger steps needs less than half of the requests and tokens", async () => {
  await using coffer = await startAppliance({ "rate-limits": "free=60,pro=300,team=1000" });
  const expected = new Map(
    [...CORPUS].map(([path, text]) => [path.replace("inbox/", "archive/"), final(text)] as const),
  );
  const costs = [];
  for (const way of [stepByStep, inLargeSteps]) {
    const agent = new Agent(coffer, await provision(coffer));
    const made = await way(agent);
    expect(made).toEqual(expected);
    expect(await agent.holds()).toEqual(new Map());
    const { requests, characters, seconds } = agent.cost;
    costs.push({ way: way.name, requests, tokens: Math.round(characters / TOKEN), seconds });
  }
  if (SHOWS_LOG) process.stderr.write(`${Bun.inspect.table(costs)}\n`);
  const [before, after] = costs;
  expect(after?.requests).toBeLessThan((before?.requests ?? 0) / 2);
  expect(after?.tokens).toBeLessThan((before?.tokens ?? 0) / 2);
});
