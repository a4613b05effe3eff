import { expect, test } from "bun:test";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startAppliance } from "../../support/server/appliance.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";
import { provision } from "../../support/server/scenario.ts";

/** More than fits into the buffers of a connection, with what the runtime's own timeout would let through. */
const SIZE = 20_000_000;

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
    const body = sampleBytes(SIZE);
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
    expect(received).toBeLessThan(SIZE);
  },
  30_000,
);
