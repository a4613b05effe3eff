import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { RawClient } from "../http/raw-client.ts";
import { processUse } from "../support/meters/process-use.ts";
import { type Agent, inShell, provision, serve } from "../support/server/executable.ts";
import { eventually } from "../support/server/scenario.ts";

const MIB = 1024 * 1024;
const EACH = 300;
/** How often a client that drips sends a byte, in milliseconds. */
const DRIP_MS = 3000;

/** What a client sends once, and then again and again; and whether it reads what it is answered. */
interface Slow {
  readonly start: string;
  readonly drip?: string;
  readonly reads?: boolean;
}

/** A client that keeps its connection busy with as little as it can. */
function slowClient(port: number, { start, drip, reads = true }: Slow) {
  const socket = connect(port, "127.0.0.1");
  const closed = new Promise<void>((resolve) => void socket.on("close", () => resolve()));
  socket.on("error", () => {});
  if (reads) socket.resume();
  else socket.pause();
  socket.write(start);
  const dripping = drip === undefined ? undefined : setInterval(() => void socket.write(drip), DRIP_MS);
  void closed.then(() => clearInterval(dripping));
  return { closed, leave: () => void socket.destroy() };
}

function kinds({ key, drive }: Agent, large: string) {
  const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
  const body = `${head}Content-Length: 100000\r\n\r\n`;
  const cut: Slow[] = [
    { start: "" },
    { start: "GET /v0/drives HTTP/1.1\r\nHost: x\r\nX-A: " },
    { start: "GET /v0/drives HTTP/1.1\r\nHost: x\r\nX-A: ", drip: "a" },
    { start: `PUT /v0/files?drive_id=${drive}&path=a HTTP/1.1\r\n${body}a` },
    { start: `POST /v0/folders HTTP/1.1\r\n${body}`, drip: " " },
    { start: "POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", drip: " " },
    { start: `POST /v0/folders HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5;`, drip: "a" },
  ];
  const readers: Slow[] = [
    { start: `GET /v0/files/${large}/download HTTP/1.1\r\n${head}\r\n`, reads: false },
  ];
  return { cut, readers };
}

/** What somebody does who is in no hurry to do harm. */
async function expectService({ client, drive }: Agent): Promise<void> {
  for (let n = 0; n < 20; n++) {
    const id = await client.store(drive, `ordinary-${n}`, `content ${n}`);
    const download = await client.send("GET", `/v0/files/${id}/download`);
    expect([download.status, download.text]).toEqual([200, `content ${n}`]);
    expect((await client.send("GET", `/v0/files?drive_id=${drive}`)).status).toBe(200);
  }
}

test(`others are served beside ${EACH} of each kind of slow client, and these are cut off in the end`, async () => {
  await using server = await serve();
  const agent = await provision(server);
  const large = await agent.client.put(agent.drive, "large", new Uint8Array(30 * MIB));
  const { cut, readers } = kinds(agent, large.id);
  const openFiles = () => processUse(server.pid).descriptors;
  const before = openFiles();
  const all = (slow: readonly Slow[]) =>
    slow.flatMap((one) => Array.from({ length: EACH }, () => slowClient(server.port, one)));
  const [ending, reading] = [all(cut), all(readers)];
  await eventually(() => openFiles() - before >= EACH * (readers.length + cut.length - 1));
  await expectService(agent);
  await Promise.all(ending.map(({ closed }) => closed));
  await expectService(agent);
  for (const reader of reading) reader.leave();
  await Promise.all(reading.map(({ closed }) => closed));
  // What is kept open besides is for reuse.
  await eventually(() => openFiles() - before < EACH / 2);
  expect(await readdir(join(server.dataDir, "tmp"))).toEqual([]);
  expect((await agent.client.send("GET", `/v0/files?drive_id=${agent.drive}&prefix=a`)).text).toContain(
    '"total":0',
  );
  expect(await server.stop()).toBe(0);
});

test("500 requests that never end, with 256 descriptors, keep nobody out for longer than they live", async () => {
  await using server = await serve({ wrapper: inShell("ulimit -n 256") });
  const agent = await provision(server);
  const { cut } = kinds(agent, "none");
  const clients = Array.from({ length: 500 }, (_, n) => {
    const slow = cut[n % cut.length];
    if (slow === undefined) throw new Error("there is no kind of slow client");
    return slowClient(server.port, slow);
  });
  await server.stdout.until(/new ones are refused/);
  await eventually(async () => {
    const client = await RawClient.to(server.port).catch(() => null);
    await client?.write("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return (await client?.until(/never/))?.startsWith("HTTP/1.1 200 ") === true;
  });
  await expectService(agent);
  for (const client of clients) client.leave();
  expect(await server.stop()).toBe(0);
});
