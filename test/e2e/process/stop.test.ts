import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { RawClient } from "../../http/raw-client.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import {
  type Agent,
  inShell,
  provision,
  type Server,
  serve,
  signUp,
} from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { longTest } from "../../support/server/thorough.ts";

/** The server cuts off what is still running this long after a signal. */
const DEADLINE_MS = 10_000;

/** Sends the head of a raw upload and the first half of its body. */
async function startUpload(server: Server, { key, drive }: Agent, content: Uint8Array): Promise<RawClient> {
  const raw = await RawClient.to(server.port);
  await raw.write(
    `PUT /v0/files?drive_id=${drive}&path=slow.bin HTTP/1.1\r\nHost: localhost\r\n` +
      `Authorization: Bearer ${key}\r\nContent-Length: ${content.length}\r\n\r\n`,
  );
  await raw.write(content.subarray(0, content.length / 2));
  // The half is being received once its temporary file is there.
  while ((await readdir(join(server.dataDir, "tmp"))).length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return raw;
}

const CONTENT = crypto.getRandomValues(new Uint8Array(60_000)).toBase64().repeat(20);

test("an upload in flight when a signal comes, or comes twice as Ctrl-C does under npm, is finished and kept, newcomers are refused, the exit code is 0", async () => {
  await using first = await serve();
  const agent = await provision(first);
  const content = Buffer.from(CONTENT);
  const upload = await startUpload(first, agent, content);
  first.terminate("SIGINT");
  await first.stdout.until(/"stopping","signal":"SIGINT"/);
  first.terminate("SIGINT");
  // Until the port takes no connections any more.
  let newcomer: RawClient | null;
  while ((newcomer = await RawClient.to(first.port).catch(() => null)) !== null) newcomer.close();
  await upload.write(content.subarray(content.length / 2));
  expect((await upload.response()).status).toBe(201);
  expect(await first.exited).toBe(0);
  expect(first.stdout.text).toContain('"message":"stopped"');
  // Nothing but the setup link.
  expect(first.stderr.text).toMatch(
    /^There is no administrator yet\.[^]*until there is an administrator\.\n$/,
  );
  await using server = await serve({ dataDir: first.dataDir });
  const path = `/v0/files/by-path/download?drive_id=${agent.drive}&path=slow.bin`;
  const download = await server.client(agent.key).fetch("GET", path);
  expect(content.equals(await download.bytes())).toBe(true);
});

/** Sends a server a signal that ends it with 0; for how long it drained, in milliseconds by its own log. */
async function drainedFor(server: Server, signal: NodeJS.Signals): Promise<number> {
  server.terminate(signal);
  expect(await server.exited).toBe(0);
  expect(server.stdout.text).toContain(`"message":"stopping","signal":"${signal}"`);
  const at = (message: string) => {
    const line = server.stdout.text.split("\n").find((text) => text.includes(`"message":"${message}"`));
    if (line === undefined) throw new Error(`the log has no "${message}"`);
    const { time }: { time: string } = JSON.parse(line);
    return Date.parse(time);
  };
  return at("stopped") - at("stopping");
}

test("a connection that is kept open without a request does not hold up the end, by SIGQUIT as well", async () => {
  await using server = await serve();
  const idle = await RawClient.to(server.port);
  await idle.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect((await idle.response()).status).toBe(200);
  // Held up, it would have waited that long.
  expect(await drainedFor(server, "SIGQUIT")).toBeLessThan(DEADLINE_MS);
});

test("a signal that asks for nothing ends nothing, and neither does SIGHUP under nohup", async () => {
  await using server = await serve({ wrapper: inShell("trap '' HUP") });
  for (const signal of ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO"] as const) {
    server.terminate(signal);
    const said = await server.stdout.until(new RegExp(`"a signal is ignored","signal":"${signal}"`));
    expect([signal, said === null]).toEqual([signal, false]);
  }
  // These are not even told of.
  server.terminate("SIGPIPE");
  server.terminate("SIGHUP");
  await server.client().get("/readyz");
  await drainedFor(server, "SIGTERM");
});

longTest(
  "a request that never ends is cut off at the deadline after SIGHUP, and leaves nothing",
  async () => {
    await using server = await serve();
    const { dataDir } = server;
    const agent = await provision(server);
    const upload = await startUpload(server, agent, Buffer.from(CONTENT));
    // Until then it may go on; the log's clock is not the one that the deadline is kept by.
    expect(await drainedFor(server, "SIGHUP")).toBeGreaterThan(DEADLINE_MS - 100);
    upload.close();
    await using again = await serve({ dataDir });
    expect(await readdir(join(dataDir, "tmp"))).toEqual([]);
    expect(await again.client(agent.key).paths(`/v0/files?drive_id=${agent.drive}`)).toEqual([]);
  },
);

test("without its data directory it says so once and ends, and keeps nothing of an upload in flight", async () => {
  await using server = await serve();
  const agent = await provision(server);
  const content = Buffer.from(CONTENT);
  const upload = await startUpload(server, agent, content);
  await rename(server.dataDir, `${server.dataDir}-elsewhere`);
  await upload.write(content.subarray(content.length / 2));
  expect([503, null]).toContain((await upload.response().catch(() => null))?.status ?? null);
  expect(await server.exited).toBe(74);
  expect(server.stdout.text.match(/the data directory is gone/g)).toHaveLength(1);
  expect(server.stdout.text).not.toMatch(/"level":"warn"/);
  expect(server.stderr.text).toEndWith("coffer: The server has stopped. Its data directory is gone.\n");
  // Nothing was made in its place.
  expect(existsSync(server.dataDir)).toBe(false);
  await rename(`${server.dataDir}-elsewhere`, server.dataDir);
  await using again = await serve({ dataDir: server.dataDir });
  expect(await again.client(agent.key).paths(`/v0/files?drive_id=${agent.drive}`)).toEqual([]);
});

test("a second signal ends it at once", async () => {
  await using server = await serve();
  const upload = await startUpload(server, await provision(server), Buffer.from(CONTENT));
  server.terminate();
  await server.stdout.until(/"stopping"/);
  // Those that come right after the first do not count.
  const impatience = setInterval(() => server.terminate(), 100);
  expect(await server.exited).toBe(1);
  clearInterval(impatience);
  upload.close();
});

test("what was counted of requests is there after a kill, as far as it was written down since", async () => {
  await using first = await serve({ env: { COFFER_SWEEP_INTERVAL: "50ms" } });
  const { key, client } = await signUp(first, "ada");
  await client.get("/v0/account");
  const requests = "SELECT ifnull(sum(requests), 0) FROM account_usage_day";
  // Making the drive was one more.
  await eventually(() => rowsIn(first.dataDir, requests).flat()[0] === 2);
  await first.kill();
  await using again = await serve({ dataDir: first.dataDir });
  const days = await again.client(key).get<{ data: object[] }>("/v0/account/usage/days");
  expect(days.data).toEqual([expect.objectContaining({ by: "key", requests: 2, client_errors: 0 })]);
});
