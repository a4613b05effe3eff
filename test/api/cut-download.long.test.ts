import { expect, test } from "bun:test";
import { truncate } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { startAppliance } from "../support/appliance.ts";
import { sampleBytes } from "../support/blob-store-contract.ts";
import { provision } from "../support/scenario.ts";

// The runtime keeps the connection until it is idle for too long.
test("a content that is cut while it is sent does not end as a complete response", async () => {
  await using coffer = await startAppliance();
  const { id, client } = await provision(coffer);
  // More than fits into the buffers of a connection.
  const content = sampleBytes(40_000_000);
  const file = await client.json<{ id: string }>(201, "PUT", `/v0/files?drive_id=${id}&path=a.bin`, {
    body: content,
  });
  const socket = connect(Number(new URL(client.base).port), "127.0.0.1");
  const received: Buffer[] = [];
  const closed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  socket.on("data", (piece) => {
    received.push(Buffer.from(piece));
    socket.pause();
    begun.resolve();
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
  await truncate(join(coffer.dataDir, "blobs", digest.slice(0, 2), digest), 1_000_000);
  socket.removeAllListeners("data");
  socket.on("data", (piece) => void received.push(Buffer.from(piece)));
  socket.resume();
  await closed.promise;
  const answer = Buffer.concat(received);
  expect(answer.toString("latin1", 0, 2000)).toMatch(/^content-length: 40000000\r$/im);
  expect(answer.length).toBeLessThan(40_000_000);
  expect((await client.send("GET", `/v0/files/${file.id}/download`)).status).toBe(500);
});
