import { expect, test } from "bun:test";
import type { Socket } from "node:net";
import { rawGet } from "../support/peers/slow-reader.ts";
import { type Agent, provision, serve } from "../support/server/executable.ts";

const SIZE = 64 * 1024 * 1024;
/** Longer than a connection may be idle otherwise, and two of them longer than an archive waits for its reader. */
const PAUSE_MS = 45_000;

/** The path of a file of `SIZE`, and of an archive of it. */
async function uploadBig(agent: Agent): Promise<{ download: string; archive: string }> {
  const { id } = await agent.client.put(agent.drive, "big", new Uint8Array(SIZE));
  return { download: `/v0/files/${id}/download`, archive: `/v0/archive?drive_id=${agent.drive}` };
}

/** Takes an answer, of which `told` is told how much has come so far; how many bytes came in all. */
function take(socket: Socket, told: (received: number) => void): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let received = 0;
  socket.on("data", (chunk) => told((received += chunk.length)));
  socket.on("close", () => resolve(received));
  return promise;
}

/** Takes an answer, and pauses after its head and after its first half. */
function takeWithPauses(agent: Agent, path: string): Promise<number> {
  const pauseAfter = [0, SIZE / 2];
  const socket = rawGet(agent.client, path, { connection: "close" });
  return take(socket, (received) => {
    if (received < (pauseAfter[0] ?? Number.POSITIVE_INFINITY)) return;
    pauseAfter.shift();
    socket.pause();
    setTimeout(() => socket.resume(), PAUSE_MS);
  });
}

test("a client that stops reading now and then gets the whole of a download and of an archive", async () => {
  await using server = await serve();
  const agent = await provision(server);
  const { download, archive } = await uploadBig(agent);
  const taken = [download, archive].map((path) => takeWithPauses(agent, path));
  for (const received of await Promise.all(taken)) expect(received).toBeGreaterThan(SIZE);
});

test("a client that has stopped reading an archive is given up, and gets no more of it", async () => {
  await using server = await serve();
  const agent = await provision(server);
  const { archive } = await uploadBig(agent);
  const socket = rawGet(agent.client, archive);
  const taken = take(socket, () => {});
  socket.once("data", () => void socket.pause());
  expect(await server.stdout.until(/its client stopped reading/)).not.toBeNull();
  socket.resume();
  expect(await taken).toBeLessThan(SIZE);
});
