import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { largeBase64, largeBytes } from "../contents.ts";
import { memoryOf } from "../processes.ts";
import { send } from "../load.ts";
import { serveSilently, signUp } from "../../support/server/executable.ts";
import { type Group, inTurn, type Run } from "../run.ts";

const PEAK = {
  name: "peak memory of eight 100 MiB uploads at once, MB (base64 in JSON; PocketBase: in forms; nginx: as they are)",
  reach: { atMost: 100 },
} as const;

const STREAMS = 500;
const WARM = 100;
const REST_MS = 5000;
const OPEN_STREAMS = {
  name: `memory of ${STREAMS} open streams of changes, MB`,
  reach: { atMost: 20 },
} as const;

/** What large uploads and many readers of the feed take. */
export const memory: Group = {
  measures: [PEAK, OPEN_STREAMS],
  measure: async (run) => {
    run.results.add(OPEN_STREAMS, "Coffer", await memoryOfStreams(run));
    await inTurn(run, run.peers, "eight uploads", run.sizes.peaks, async (peer) => {
      await using server = await peer.start(run.newPath());
      const store = await server.open();
      const calls = Array.from({ length: 8 }, (_, n) =>
        store.jsonUpload === undefined
          ? store.upload(`peak/${n}.bin`, largeBytes())
          : store.jsonUpload(`peak/${n}.bin`, largeBase64()),
      );
      await Promise.all(calls.map((call) => send(server.url, call)));
      run.results.add(PEAK, peer.name, memoryOf(server.pid, "VmHWM"));
    });
  },
};

/**
 * How much more memory a server holds while that many streams are open, after each has been told of a change. It is at
 * rest: what opening them left to collect is no part of it.
 */
async function memoryOfStreams(run: Run): Promise<number> {
  await using server = await serveSilently({ dataDir: run.newPath() });
  const agent = await signUp(server, "ada");
  const lines = [
    `GET /v0/changes?drive_id=${agent.drive} HTTP/1.1`,
    "Host: localhost",
    `Authorization: Bearer ${agent.key}`,
    "Accept: text/event-stream",
  ];
  const streams: Socket[] = [];
  const open = async () => {
    // The runtime's own client has only so many connections.
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    await once(socket, "data");
    streams.push(socket);
  };
  const change = (path: string) =>
    agent.client.json(201, "POST", "/v0/folders", { body: { drive_id: agent.drive, path } });
  // What the first streams need is not theirs alone.
  for (let n = 0; n < WARM; n += 1) await open();
  for (let n = 0; n < WARM; n += 1) await change(`warm-${n}/`);
  await Bun.sleep(REST_MS);
  const before = memoryOf(server.pid, "VmRSS");
  for (let n = 0; n < STREAMS; n += 1) await open();
  const told = Promise.all(streams.slice(WARM).map((socket) => once(socket, "data")));
  await change("told/");
  await told;
  await Bun.sleep(REST_MS);
  const after = memoryOf(server.pid, "VmRSS");
  for (const socket of streams) socket.destroy();
  return after - before;
}
