import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { connect } from "node:net";
import { type Peer, socketCuts } from "../../../src/http/connection/socket-cut.ts";

test.each(["127.0.0.1", "::1", "::"])(
  "a connection to %s is cut at once while much waits to be sent, and no other is",
  async (hostname) => {
    const peers: (Peer | null)[] = [];
    using server = Bun.serve({
      hostname,
      port: 0,
      idleTimeout: 0,
      fetch: (request, connections) => {
        peers.push(connections.requestIP(request));
        return new Response(new Uint8Array(50_000_000));
      },
    });
    const begin = async () => {
      const socket = connect(server.port ?? 0, hostname === "::" ? "127.0.0.1" : hostname);
      const [begun, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      let received = 0;
      socket.on("error", () => {});
      socket.on("close", () => closed.resolve());
      socket.on("data", ({ length }) => {
        received += length;
        begun.resolve();
      });
      socket.once("data", () => socket.pause());
      socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
      await begun.promise;
      return { socket, closed: closed.promise, received: () => received };
    };
    const [first, second] = [await begin(), await begin()];
    const cut = socketCuts();
    const [peer, other] = peers;
    if (peer === null || peer === undefined || other === null || other === undefined)
      throw new Error("no peer");
    expect(cut(peer)).toBe(true);
    first.socket.resume();
    await first.closed;
    expect(first.received()).toBeLessThan(50_000_000);
    second.socket.resume();
    while (second.received() < 50_000_000)
      await new Promise((resolve) => second.socket.once("data", resolve));
    second.socket.destroy();
    expect(cut({ address: peer.address, port: 1 })).toBe(false);
  },
);

test("a connection is cut, and nothing is thrown, while this process has no descriptor left", async () => {
  const peer = Promise.withResolvers<Peer | null>();
  using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request, connections) => {
      peer.resolve(connections.requestIP(request));
      return new Promise<Response>(() => {});
    },
  });
  const socket = connect(server.port ?? 0, "127.0.0.1");
  const closed = new Promise<void>((resolve) => socket.on("close", () => resolve()));
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const found = await peer.promise;
  if (found === null) throw new Error("no peer");
  const cut = socketCuts();
  // Its library stays open.
  expect(cut({ ...found, port: 1 })).toBe(false);
  const opened: number[] = [];
  try {
    expect(() => {
      for (;;) opened.push(openSync("/dev/null", "r"));
    }).toThrow("EMFILE");
    expect([cut(found), cut({ ...found, port: 1 })]).toEqual([true, false]);
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
  await closed;
});
