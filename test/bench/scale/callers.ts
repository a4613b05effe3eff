import { join } from "node:path";
import { KEYS, STREAM_LIMITS } from "../../../src/domain/limits.ts";
import { openFilesLimit } from "../../../src/process/descriptors.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { addAccount, addKey } from "../../support/server/accounts.ts";
import { Output, type Server, serveSilently, signUp } from "../../support/server/executable.ts";
import { quantile } from "../figures.ts";
import { memoryOf, processorTime } from "../processes.ts";
import { Growth, longRounds, type Scale } from "./growth.ts";
import type { Panel } from "./plot.ts";
import type { Said, Task } from "./sockets.ts";

/** How long downloads are measured, in seconds. */
const SECONDS = 3;
/** Until the server is at rest, in milliseconds. */
const REST_MS = 3000;
/** No load may take longer, in milliseconds. */
const PATIENCE_MS = 120_000;

const rate = new Growth("a second");
const spent = new Growth("ms of the processor for 1,000");
const p99 = new Growth("p99 in ms");
const told = new Growth("ms to the last");
const spentTelling = new Growth("ms of the processor");
const memory = new Growth("MB of memory");

const [KEYS_AT_ONCE, STREAMS] = ["keys at once", "open streams of changes"];
const PANELS: readonly Panel[] = [
  { title: "Downloads of 1 KiB", across: KEYS_AT_ONCE, curves: [rate, spent, p99] },
  { title: "A change is told to all streams", across: STREAMS, curves: [told, spentTelling, memory] },
];

/** Measures so many keys at once, and so many streams, as far as a server allows. */
export async function measureCallers(scale: Scale, counts: readonly number[]): Promise<readonly Panel[]> {
  for (const count of counts.filter((each) => each <= KEYS.account)) {
    scale.say(`${count} keys at once`);
    await downloadWith(scale, count);
  }
  const most = Math.min(STREAM_LIMITS.all, Math.floor(openFilesLimit() / 2));
  for (const count of new Set(counts.map((each) => Math.min(each * 10, most)))) {
    scale.say(`${count} streams`);
    await tell(scale, count);
  }
  return PANELS;
}

/** A request without a body, as it is sent. `address` is whom a proxy would name. */
function get(target: string, key: string, more: readonly string[] = []): string {
  return [`GET ${target} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${key}`, ...more, "", ""].join(
    "\r\n",
  );
}

async function downloadWith(scale: Scale, count: number): Promise<void> {
  await using server = await serveSilently({ dataDir: scale.newPath() });
  const { client, drive } = await signUp(server, "ada");
  const { id } = await client.put(drive, "1k.bin", crypto.getRandomValues(new Uint8Array(1024)));
  const keys = Array.from({ length: count }, () => addKey(server, "ada"));
  const requests = keys.map((key) => get(`/v0/files/${id}/download`, key));
  const rates: number[] = [];
  const costs: number[] = [];
  const waits: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= longRounds(scale); round += 1) {
    const work = { kind: "downloads", seconds: SECONDS } as const;
    const { said, cost } = await withSockets(scale, server, { requests, work });
    if (round === 0) continue;
    costs.push((cost / said.length) * 1000);
    rates.push(said.length / SECONDS);
    waits.push(quantile(said, 0.99));
  }
  rate.add(count, rates);
  spent.add(count, costs);
  p99.add(count, waits);
}

/** Of each user, and to each address, only so many streams may be open. */
async function tell(scale: Scale, count: number): Promise<void> {
  const wrapper = ["env", "COFFER_TRUSTED_PROXIES=127.0.0.1"];
  await using server = await serveSilently({ dataDir: scale.newPath(), wrapper });
  const { client, drive, key } = await signUp(server, "ada");
  const keys = [key];
  while (keys.length * STREAM_LIMITS.each < count) {
    const username = `reader-${keys.length}`;
    addAccount({ dataDir: server.dataDir, clock: systemClock }, username);
    await client.post(`/v0/drives/${drive}/members`, { username, role: "reader" });
    keys.push(addKey(server, username));
  }
  const requests = Array.from({ length: count }, (_, n) => {
    const owner = Math.floor(n / STREAM_LIMITS.each);
    const from = [`X-Forwarded-For: 10.0.0.${owner + 1}`, "Accept: text/event-stream"];
    return get(`/v0/changes?drive_id=${drive}&cursor=latest`, keys[owner] ?? key, from);
  });
  const head = get(`/v0/files?drive_id=${drive}&path=told.txt`, key, ["Content-Length: 16"]);
  const change = `${head.replace("GET", "PUT")}${"{n}".padStart(18)}`;
  const work = { kind: "streams", change, rounds: Math.ceil(scale.rounds / 10) } as const;
  const { said, cost, mb } = await withSockets(scale, server, { requests, work });
  told.add(count, said);
  spentTelling.add(count, [cost / said.length]);
  memory.add(count, [mb]);
}

/**
 * Does this in a process of its own. Returns what it says, what that costs the server in milliseconds of the processor
 * without the opening of connections, and the MB that the server holds then, still connected.
 */
async function withSockets(scale: Scale, { pid, port }: Server, task: Omit<Task, "port">) {
  const path = scale.newPath();
  await Bun.write(path, JSON.stringify({ port, ...task } satisfies Task));
  const command = [process.execPath, join(import.meta.dir, "sockets.ts"), path];
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe", timeout: PATIENCE_MS });
  const [stdout, stderr] = [new Output(child.stdout), new Output(child.stderr)];
  await stdout.until(/open\n/);
  const cost = await processorTime(pid, () => stdout.until(/\]\n/));
  const line = /^\[.*\]$/m.exec(stdout.text)?.[0];
  if (line === undefined) throw new Error(`the load failed: ${stderr.text}`);
  await Bun.sleep(REST_MS);
  const mb = memoryOf(pid, "VmRSS");
  child.kill();
  await child.exited;
  const said: Said = JSON.parse(line);
  return { said, cost, mb };
}
