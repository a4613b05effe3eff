import { describe, expect } from "bun:test";
import { Server } from "../../src/http/server.ts";
import { PassedSocket } from "../../src/process/sockets/passed-socket.ts";
import { HeldSocket } from "../support/peers/held-socket.ts";
import { testWith } from "../support/server/test-with.ts";
import { RawClient } from "./raw-client.ts";
import { RecordedLog } from "./stub-app.ts";

const REQUEST = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** A socket that is held for servers, one after another. */
async function open() {
  const held = new HeldSocket();
  const socket = new PassedSocket(held.descriptor);
  const serve = (text: string) =>
    Server.open({ at: socket, handler: () => Response.json(text), log: new RecordedLog(), tls: null });
  return { port: held.port, socket, serve, [Symbol.asyncDispose]: async () => held[Symbol.dispose]() };
}

const test = testWith(open);

describe.if(process.platform === "linux")("a passed socket", () => {
  test("is served by one server after another, and who comes in between waits for the next", async ({
    port,
    socket,
    serve,
  }) => {
    const first = await serve("first");
    expect([first.port, socket.port]).toEqual([port, port]);
    using client = await RawClient.to(port);
    await client.write(REQUEST);
    expect((await client.response()).body).toBe("first");
    await first.stop(0);
    using waiting = await RawClient.to(port);
    await waiting.write(REQUEST);
    const second = await serve("second");
    expect((await waiting.response()).body).toBe("second");
    await second.stop(0);
  });

  test("takes leave of its connections: a request that comes while the server stops is answered, as the last", async ({
    port,
    serve,
  }) => {
    const server = await serve("here");
    using client = await RawClient.to(port);
    await client.write(REQUEST);
    expect((await client.response()).headers.get("connection")).not.toBe("close");
    const stopped = server.stop(1000);
    await client.write(REQUEST);
    const { body, headers } = await client.response();
    expect([body, headers.get("connection")]).toEqual(["here", "close"]);
    await stopped;
  });

  test("that nobody serves is found out before a server calls itself ready", ({ socket }) => {
    expect(socket.requireAccepted(3)).rejects.toThrow("cannot be used by this version");
  });

  test("is given to nobody who does not listen as is known", async ({ socket, port }) => {
    expect(() => socket.give({ host: "127.0.0.1", port: 1 })).toThrow("cannot be used by this version");
    // It listens, and this runtime does not watch it.
    expect(() => socket.give({ host: "127.0.0.1", port })).toThrow("cannot be used by this version");
  });
});
