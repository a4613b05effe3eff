import { expect, test } from "bun:test";
import { truncate, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { startAppliance } from "../support/appliance.ts";
import { flipped, sampleBytes } from "../support/blob-store-contract.ts";
import { provision } from "../support/scenario.ts";

/** More than fits into the buffers of a connection. */
const SIZE = 40_000_000;
/** The server looks every second, and the runtime closes within four. An idle connection stays open for 30 seconds. */
const CLOSED_MS = 15_000;

const SPOILS: readonly (readonly [
  what: string,
  spoil: (path: string, content: Uint8Array) => Promise<void>,
])[] = [
  ["cut", (path) => truncate(path, 1_000_000)],
  ["found damaged", (path, content) => writeFile(path, flipped(content))],
];

test.each(SPOILS)(
  "a content that is %s while it is sent does not end as a complete response, and soon",
  async (_, spoil) => {
    await using coffer = await startAppliance();
    const { id, client } = await provision(coffer);
    const content = sampleBytes(SIZE);
    const file = await client.json<{ id: string }>(201, "PUT", `/v0/files?drive_id=${id}&path=a.bin`, {
      body: content,
    });
    const socket = connect(Number(new URL(client.base).port), "127.0.0.1");
    const received: Buffer[] = [];
    const [begun, spoiled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const closed = Promise.withResolvers<void>();
    socket.on("data", (piece) => {
      received.push(Buffer.from(piece));
      begun.resolve();
      // A slow client, which needs much longer than it takes to close the connection.
      socket.pause();
      void spoiled.promise.then(() => sleep(piece.length / 4000)).then(() => socket.resume());
    });
    socket.on("error", () => {});
    socket.on("close", () => closed.resolve());
    const lines = [
      `GET /v0/files/${file.id}/download HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${client.key}`,
    ];
    socket.write(`${lines.join("\r\n")}\r\n\r\n`);
    await begun.promise;
    const digest = Bun.SHA256.hash(content, "hex");
    await spoil(join(coffer.dataDir, "blobs", digest.slice(0, 2), digest), content);
    expect((await client.send("GET", `/v0/files/${file.id}/download`)).status).toBe(500);
    spoiled.resolve();
    await closed.promise;
    const answer = Buffer.concat(received);
    expect(answer.toString("latin1", 0, 2000)).toMatch(/^content-length: 40000000\r$/im);
    expect(answer.length).toBeLessThan(SIZE);
  },
  CLOSED_MS,
);
