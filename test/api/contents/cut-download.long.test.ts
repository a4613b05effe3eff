import { describe, expect, test } from "bun:test";
import { open, truncate, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { join } from "node:path";
import { startAppliance } from "../../support/server/appliance.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { provision } from "../../support/server/scenario.ts";

/** More than fits into the buffers of a connection. */
const SIZE = 40_000_000;
/** The server looks twice a second. An idle connection stays open for 30 seconds. */
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
    const file = await client.put(id, "a.bin", content);
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

const KIB = 1024;
const SIZES = [65 * KIB, 256 * KIB, 1024 * KIB, 4096 * KIB, 9216 * KIB];
const RANGES = { "all of it": 0, "a range of it": 100 } as const;

describe.each(SIZES)("a content of %d bytes that is cut while it is sent", (size) => {
  test.each(Object.entries(RANGES))(
    "is complete already, or its connection is closed soon: %s",
    async (_, start) => {
      await using coffer = await startAppliance();
      const { id, client } = await provision(coffer);
      const content = sampleBytes(size);
      const target = `/v0/files?drive_id=${id}&path=a.bin`;
      const file = await client.json<{ id: string }>(201, "PUT", target, { body: content });
      const digest = Bun.SHA256.hash(content, "hex");
      const socket = connect(Number(new URL(client.base).port), "127.0.0.1");
      const received: Buffer[] = [];
      let length = 0;
      const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      socket.on("data", (piece) => {
        received.push(Buffer.from(piece));
        length += piece.length;
        if (received.length === 1) {
          socket.pause();
          begun.resolve();
        }
        // The head is shorter than a KiB, and longer than half of one.
        if (length >= size - start + KIB / 2) over.resolve();
      });
      socket.on("error", () => {});
      socket.on("close", () => over.resolve());
      const lines = [
        `GET /v0/files/${file.id}/download HTTP/1.1`,
        "Host: x",
        `Authorization: Bearer ${client.key}`,
        ...(start === 0 ? [] : [`Range: bytes=${start}-`]),
      ];
      socket.write(`${lines.join("\r\n")}\r\n\r\n`);
      await begun.promise;
      await truncate(join(coffer.dataDir, "blobs", digest.slice(0, 2), digest), 1000);
      socket.resume();
      await over.promise;
      const answer = Buffer.concat(received);
      const body = answer.subarray(answer.indexOf("\r\n\r\n") + 4);
      expect(body.equals(content.subarray(start, start + body.length))).toBe(true);
      socket.destroy();
    },
    CLOSED_MS,
  );
});

test("ranges of contents that are wrong elsewhere are never sent as good, however long their checks take", async () => {
  await using coffer = await startAppliance();
  const damaged = async (first: number) => {
    const { id, client } = await provision(coffer);
    const content = new Uint8Array(100_000_000).fill(first, 0, 1);
    const target = `/v0/files?drive_id=${id}&path=a.bin`;
    const file = await client.json<{ id: string }>(201, "PUT", target, { body: content });
    const digest = Bun.SHA256.hash(content, "hex");
    const blob = await open(join(coffer.dataDir, "blobs", digest.slice(0, 2), digest), "r+");
    await blob.write(Uint8Array.of(1), 0, 1, content.length - 1);
    await blob.close();
    return { client, target: `/v0/files/${file.id}/download` };
  };
  const files = [await damaged(1), await damaged(2), await damaged(3), await damaged(4)];
  // They are checked one after another, which takes longer than a reader of a range waited once.
  const answers = files.map(({ client, target }) =>
    client.send("GET", target, { headers: { range: "bytes=0-99" } }),
  );
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([500, 500, 500, 500]);
}, 60_000);

/** More than fits into the buffers of a connection, with what the runtime's own timeout would let through. */
const ENDED_SIZE = 20_000_000;

/** Where a key that is revoked meanwhile downloads the file `a.bin`: with itself, or with a link that it made. */
const PLACES = {
  "a file": () => "/v0/files/by-path/download?path=a.bin",
  "an archive": () => "/v0/archive?path=a.bin",
  "what a presigned link opens": (link: string) => link,
} as const;

test.each(Object.entries(PLACES))(
  "the download of %s does not end well once the key is revoked, although its client goes on reading",
  async (_, placeOf) => {
    await using coffer = await startAppliance();
    const { id, client } = await provision(coffer);
    const body = sampleBytes(ENDED_SIZE);
    await client.put(id, "a.bin", body);
    const made = await client.makeKey();
    const key = coffer.client(made.key);
    const address = `/v0/files/by-path/presigned-url?drive_id=${id}&path=a.bin`;
    const { url } = await key.post<{ url: string }>(address, {}, 200);
    const place = placeOf(new URL(url).pathname);
    const path = place.includes("?") ? `${place}&drive_id=${id}` : place;

    const socket = connect(Number(new URL(client.base).port), "127.0.0.1");
    const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let received = 0;
    socket.on("data", (piece) => {
      received += piece.length;
      begun.resolve();
      // A slow client: about four megabytes a second.
      socket.pause();
      void sleep(piece.length / 4000).then(() => socket.resume());
    });
    socket.on("error", () => {});
    socket.on("close", () => closed.resolve());
    const auth = path === place ? [] : [`Authorization: Bearer ${made.key}`];
    socket.write(`${[`GET ${path} HTTP/1.1`, "Host: x", ...auth].join("\r\n")}\r\n\r\n`);
    await begun.promise;
    await client.delete(`/v0/keys/${made.id}`);
    await closed.promise;
    expect(received).toBeGreaterThan(0);
    expect(received).toBeLessThan(ENDED_SIZE);
  },
  30_000,
);
