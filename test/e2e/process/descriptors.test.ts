import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { NEEDED } from "../../../src/process/descriptors.ts";
import { RawClient } from "../../http/raw-client.ts";
import { type Agent, provision, type Server, inShell, serve } from "../../support/server/executable.ts";
import { Injection, NO_STRACE } from "../../support/faults/faults.ts";
import { processSeconds } from "../../support/meters/process-use.ts";
import { eventually } from "../../support/server/scenario.ts";
import { isThorough, longTest } from "../../support/server/thorough.ts";

function serveWithFewDescriptors(limit = 256): Promise<Server> {
  return serve({ wrapper: inShell(`ulimit -n ${limit}`) });
}

/** Connections that have each sent this. The server may refuse some. */
async function connect(server: Server, count: number, text: (n: number) => string): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  for (let n = 0; n < count; n++) {
    const client = await RawClient.to(server.port).catch(() => null);
    if (client === null) continue;
    await client.write(text(n));
    clients.push(client);
  }
  return clients;
}

/** Waits until the server needs little time of a core while nobody asks for anything: first it takes what came. */
function comesToRest({ pid }: Server): Promise<void> {
  return eventually(async () => {
    const before = processSeconds(pid);
    await Bun.sleep(1000);
    return processSeconds(pid) - before < 0.25;
  });
}

function threadsOf({ pid }: Server): number {
  return readdirSync(`/proc/${pid}/task`).length;
}

/** Whether a server still runs, and what it said last. */
async function lastWords({ exited, stdout, stderr }: Server): Promise<string> {
  const end = await Promise.race([exited, Bun.sleep(2000).then(() => "it runs")]);
  return `${end}\n${stderr.text}\n${stdout.text.slice(-2000)}`;
}

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
const BEGINNING = 10;
const PIECE = "x".repeat(300_000);

function upload({ key, drive }: Agent, path: string): string {
  return `PUT /v0/files?drive_id=${drive}&path=${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${2 * PIECE.length}\r\n\r\n${PIECE}`;
}

longTest(
  "500 connections with 256 descriptors: each is answered, and none costs time while it is idle",
  async () => {
    await using server = await serveWithFewDescriptors();
    const clients = await connect(server, 500, () => HEALTH);
    const answers = await Promise.all(clients.map((client) => client.response()));
    const answered = answers.filter(({ status }) => status === 200).length;
    if (answered < 500) throw new Error(`only ${answered} were answered.\n${await lastWords(server)}`);
    await comesToRest(server);
    for (const client of clients) client.close();
  },
);

// By itself: beside others the server may be too slow to have so many uploads at once.
test.serial(
  "uploads that take every descriptor are refused with 503, and uploads are taken again once they are gone",
  async () => {
    // So few that they run short before the uploads that one drive may have at once.
    await using server = await serveWithFewDescriptors(NEEDED.server);
    const agent = await provision(server);
    // Begun requests, so that the connections are not idle.
    const clients = await connect(server, 300, (n) => upload(agent, `${n}`).slice(0, BEGINNING));
    const said = await server.stdout.until(/new ones are refused.*/);
    expect(said?.[0]).toContain(`"open_files_limit":${NEEDED.server}`);
    for (const [n, client] of clients.entries()) await client.write(upload(agent, `${n}`).slice(BEGINNING));
    await comesToRest(server);
    const answers = await Promise.all(
      clients.map(async (client) => {
        await client.write(PIECE);
        return client.response();
      }),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    // 0: never taken. 429: one drive may have only so many uploads at once.
    expect([...statuses].filter((status) => ![0, 201, 429, 503].includes(status))).toEqual([]);
    expect(statuses).toContain(201);
    expect(statuses).toContain(503);
    for (const { status, headers } of answers) {
      if (status === 503) expect(headers.get("retry-after")).toMatch(/^\d+$/);
    }
    for (const client of clients) client.close();
    await server.stdout.until(/connections are accepted again/);
    // They may be refused once more before they are taken for good.
    await eventually(async () => {
      const [again] = await connect(server, 1, () => upload(agent, "again") + PIECE);
      return (await again?.response())?.status === 201;
    });
    expect(await server.stop()).toBe(0);
  },
);

test("a server with as few descriptors as it may have serves", async () => {
  await using server = await serveWithFewDescriptors(NEEDED.server);
  const agent = await provision(server);
  const clients = await connect(server, 32, () => HEALTH);
  for (const client of clients) expect((await client.response()).status).toBe(200);
  const [uploading] = await connect(server, 1, () => upload(agent, "a") + PIECE);
  expect((await uploading?.response())?.status).toBe(201);
  for (const what of ["search?q=a", "grep?pattern=a"]) {
    expect((await agent.client.send("GET", `/v0/${what}&drive_id=${agent.drive}`)).status).toBe(200);
  }
  for (const client of clients) client.close();
});

if (isThorough()) {
  /** What needs a thread: a request, once a text has two versions that take long to compare. */
  test.each([
    ["a search", (drive: string) => `/v0/search?drive_id=${drive}&q=a`],
    ["a comparison", (drive: string) => `/v0/files/by-path/diff?drive_id=${drive}&path=a.txt`],
  ] as const)("%s that finds no descriptor for its thread does not end the server", async (_, target) => {
    await using server = await serveWithFewDescriptors();
    const { key, drive } = await provision(server);
    for (const line of ["one", "two"]) {
      const body = `${line} line\n`.repeat(10_000);
      const answer = await server.client(key).send("PUT", `/v0/files?drive_id=${drive}&path=a.txt`, { body });
      expect(answer.status).toBeLessThan(202);
    }
    const clients = await connect(server, 300, () => HEALTH);
    for (const client of clients) {
      await client.write(`GET ${target(drive)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    }
    for (const client of clients) client.close();
    await eventually(async () => {
      const answer = await server
        .client(key)
        .send("GET", target(drive))
        .catch(() => null);
      return answer?.status === 200;
    });
    expect(await server.stop()).toBe(0);
  });

  test.serial.skipIf(NO_STRACE !== "")(
    `connections that come while a thread starts leave it its descriptors${NO_STRACE && ` (skipped: ${NO_STRACE})`}`,
    async () => {
      await using server = await serveWithFewDescriptors();
      const { client, drive } = await provision(server);
      // The first that a thread does. With an idle index, the next thread is that of the search.
      await server.stdout.until(/the search index is filled/);
      const fault = await Injection.into(server, { calls: "epoll_create1", error: "LATE", when: "1+" });
      const before = threadsOf(server);
      const found = client.send("GET", `/v0/search?drive_id=${drive}&q=a`);
      await eventually(() => threadsOf(server) > before);
      const clients = await connect(server, 500, () => HEALTH);
      const answers = await Promise.all(clients.map((each) => each.response()));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(500);
      // Refused, if the thread has taken so long that there are none left for its database.
      expect([200, 503]).toContain((await found).status);
      await fault.stop();
      for (const each of clients) each.close();
      expect(await server.stop()).toBe(0);
    },
  );

  test.skipIf(NO_STRACE !== "").each(["coffer.db", "search.db"])(
    `a search that has no descriptor for %s is refused${NO_STRACE && ` (skipped: ${NO_STRACE})`}`,
    async (file) => {
      await using server = await serve();
      const { client, drive } = await provision(server);
      await client.put(drive, "a.txt", "word");
      await server.stdout.until(/the search index is filled/);
      await Injection.into(server, { calls: "openat", error: "EMFILE", when: "1+", file });
      const { status, headers } = await client.send("GET", `/v0/search?drive_id=${drive}&q=word`);
      expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
    },
  );
}
