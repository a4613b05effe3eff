import { expect, test } from "bun:test";
import { connect } from "node:net";
import { provision, serve } from "../support/executable.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const SIZE = 64 * 1024 * 1024;
/** Longer than a connection may be idle otherwise. */
const PAUSE_MS = 45_000;

const TAKEN: [what: string, path: (drive: string, file: string) => string][] = [
  ["a download", (_, file) => `/v0/files/${file}/download`],
  ["an archive", (drive) => `/v0/archive?drive_id=${drive}`],
];
test.each(TAKEN)(
  "a client that stops reading %s for a while gets the whole of it",
  async (_, taken) => {
    await using directory = await temporaryDirectory();
    await using server = await serve({ dataDir: directory.path });
    const agent = await provision(server);
    const path = `/v0/files?drive_id=${agent.drive}&path=big`;
    const file = await agent.client.json<{ id: string }>(201, "PUT", path, { body: new Uint8Array(SIZE) });

    const { promise, resolve } = Promise.withResolvers<number>();
    let received = 0;
    const socket = connect({ port: server.port, host: "127.0.0.1" }, () => {
      const request = [`GET ${taken(agent.drive, file.id)} HTTP/1.1`, "Host: test", "Connection: close"];
      socket.write(`${[...request, `Authorization: Bearer ${agent.key}`].join("\r\n")}\r\n\r\n`);
    });
    socket.once("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), PAUSE_MS);
    });
    socket.on("data", (chunk) => {
      received += chunk.length;
    });
    socket.on("close", () => resolve(received));
    expect(await promise).toBeGreaterThan(SIZE);
  },
  120_000,
);
