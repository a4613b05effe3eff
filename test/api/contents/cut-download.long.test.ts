import { describe, expect, test } from "bun:test";
import { open, truncate, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { rawGet } from "../../support/peers/slow-reader.ts";
import { flipped, sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { fileOf } from "../../support/samples/contents.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { provision } from "../../support/server/scenario.ts";

/** The server looks twice a second. An idle connection stays open for 30 seconds. */
const CLOSED_MS = 15_000;

/** A file `a.bin` of a new drive, where it is downloaded, and where its content is. */
async function stored(coffer: TestAppliance, content: Uint8Array<ArrayBuffer>) {
  const { id, client } = await provision(coffer);
  const file = await client.put(id, "a.bin", content);
  const path = `/v0/files/${file.id}/download`;
  return { id, client, path, blob: fileOf(coffer.dataDir, Bun.SHA256.hash(content, "hex")) };
}

/** What comes over a connection, whose client takes about four megabytes a second once `goesOn`. */
function slowly(socket: Socket, goesOn = Promise.resolve()) {
  const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const received: Buffer[] = [];
  socket.on("data", (piece) => {
    received.push(Buffer.from(piece));
    begun.resolve();
    socket.pause();
    void goesOn.then(() => sleep(piece.length / 4000)).then(() => socket.resume());
  });
  socket.on("close", () => closed.resolve());
  return { begun: begun.promise, closed: closed.promise, received };
}

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
    // More than fits into the buffers of a connection.
    const content = sampleBytes(40_000_000);
    const { client, path, blob } = await stored(coffer, content);
    const spoiled = Promise.withResolvers<void>();
    // It needs much longer than it takes to close the connection.
    const { begun, closed, received } = slowly(rawGet(client, path), spoiled.promise);
    await begun;
    await spoil(blob, content);
    await client.json(500, "GET", path);
    spoiled.resolve();
    await closed;
    const answer = Buffer.concat(received);
    expect(answer.toString("latin1", 0, 2000)).toMatch(/^content-length: 40000000\r$/im);
    expect(answer.length).toBeLessThan(content.length);
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
      const content = sampleBytes(size);
      const { client, path, blob } = await stored(coffer, content);
      const socket = rawGet(client, path, start === 0 ? {} : { range: `bytes=${start}-` });
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
      socket.on("close", () => over.resolve());
      await begun.promise;
      await truncate(blob, 1000);
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
    const content = new Uint8Array(100_000_000).fill(first, 0, 1);
    const file = await stored(coffer, content);
    const blob = await open(file.blob, "r+");
    await blob.write(Uint8Array.of(1), 0, 1, content.length - 1);
    await blob.close();
    return file;
  };
  const files = [await damaged(1), await damaged(2), await damaged(3), await damaged(4)];
  // They are checked one after another, which takes longer than a reader of a range waited once.
  const answers = files.map(({ client, path }) =>
    client.status("GET", path, { headers: { range: "bytes=0-99" } }),
  );
  expect(await Promise.all(answers)).toEqual([500, 500, 500, 500]);
}, 60_000);

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
    // More than fits into the buffers, with what the runtime's own timeout would let through.
    const content = sampleBytes(20_000_000);
    const { id, client } = await stored(coffer, content);
    const made = await client.makeKey();
    const key = coffer.client(made.key);
    const address = `/v0/files/by-path/presigned-url?drive_id=${id}&path=a.bin`;
    const { url } = await key.post<{ url: string }>(address, {}, 200);
    const place = placeOf(new URL(url).pathname);
    const isLink = !place.includes("?");
    const socket = isLink ? rawGet(coffer.client(), place) : rawGet(key, `${place}&drive_id=${id}`);
    const { begun, closed, received } = slowly(socket);
    await begun;
    await client.delete(`/v0/keys/${made.id}`);
    await closed;
    expect(Buffer.concat(received).length).toBeWithin(1, content.length);
  },
  30_000,
);
