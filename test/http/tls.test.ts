import { afterAll, expect, test } from "bun:test";
import { Server } from "../../src/http/server.ts";
import { PassedSocket } from "../../src/process/sockets/passed-socket.ts";
import { HeldSocket } from "../support/peers/held-socket.ts";
import { makeCertificate } from "../support/samples/certificates.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { RecordedLog } from "./stub-app.ts";
import { nameAt, TlsClient } from "./tls-client.ts";

const place = await temporaryDirectory();
const [first, second] = await Promise.all(
  ["first", "second"].map((name) => makeCertificate(place.path, name)),
);
if (first === undefined || second === undefined) throw new Error("there are two");
const [one, other] = [first.pair, second.pair];
afterAll(() => place[Symbol.asyncDispose]());

/** Sends what it is told to, piece by piece, at `/stream`. @param held where it listens; null for a port of its own */
function startServer(
  left: () => Promise<unknown> = () => new Promise(() => {}),
  held: HeldSocket | null = null,
) {
  const pieces = new TransformStream<Uint8Array, Uint8Array>();
  const handler = (request: Request) =>
    request.url.endsWith("/stream") ? new Response(pieces.readable) : new Response("here");
  const server = new Server({
    at: held === null ? { host: "127.0.0.1", port: 0 } : new PassedSocket(held.descriptor),
    handler,
    log: new RecordedLog(),
    tls: one,
    left,
  });
  const writer = pieces.writable.getWriter();
  const send = (text: string) => writer.write(new TextEncoder().encode(text));
  const close = async () => {
    await server.stop(0);
    held?.[Symbol.dispose]();
  };
  return { server, send, end: () => writer.close(), [Symbol.asyncDispose]: close };
}

/** Clients that send one request after the other, half of them on kept connections, half on a new one each time. */
class Load {
  /** The subjects of the certificates that were seen. */
  readonly names = new Set<string>();
  readonly #sent: number[] = [0, 0, 0, 0, 0, 0, 0, 0];
  #isOver = false;
  #next = Promise.withResolvers<void>();

  /** Rejects as soon as a request fails. */
  start(port: number): Promise<unknown> {
    return Promise.all(this.#sent.map((_, at) => this.#send(port, at, at % 2 === 0)));
  }

  end(): void {
    this.#isOver = true;
  }

  /** Resolves when each client has had so many more answers. */
  async untilAllSent(count: number): Promise<void> {
    const wanted = this.#sent.map((sent) => sent + count);
    while (this.#sent.some((sent, at) => sent < (wanted[at] ?? 0))) await this.#next.promise;
  }

  async #send(port: number, at: number, keeps: boolean): Promise<void> {
    while (!this.#isOver) {
      const client = await TlsClient.to(port);
      this.names.add(client.name);
      for (;;) {
        expect(await client.get()).toBe("here");
        this.#sent[at] = (this.#sent[at] ?? 0) + 1;
        this.#next.resolve();
        this.#next = Promise.withResolvers();
        if (!keeps || client.isLast || this.#isOver) break;
      }
      client.close();
    }
  }
}

/** What holds where a server listens, for the name of a test; null for nobody. */
const HOLDERS: readonly (readonly [name: string, hold: () => HeldSocket | null])[] = [
  ["", () => null],
  ...(process.platform === "linux" ? [["at a passed socket ", () => new HeldSocket()] as const] : []),
];

test.each(HOLDERS)(
  "%scertificates are exchanged under load: no request fails, and new connections have the new one at once",
  async (_, hold) => {
    const load = new Load();
    await using served = startServer(() => load.untilAllSent(2), hold());
    const { server } = served;
    const clients = load.start(server.port);
    const stream = await TlsClient.to(server.port);
    const streamed = stream.get("/stream");
    await served.send("begun");
    await streamed;
    for (const [pair, name] of [
      [other, "second"],
      [one, "first"],
      [other, "second"],
    ] as const) {
      await load.untilAllSent(1);
      const { ended } = server.exchange(pair);
      expect(await nameAt(server.port)).toBe(name);
      await ended;
    }
    load.end();
    await clients;
    expect(load.names).toEqual(new Set(["first", "second"]));
    await served.send("still there");
    await served.end();
    await stream.until(/[^]*still there/);
    stream.close();
  },
);

test("a connection with the former certificate is answered once more, and told that this was the last time", async () => {
  await using served = startServer();
  const { server } = served;
  const client = await TlsClient.to(server.port);
  await client.get();
  expect(client.isLast).toBe(false);
  server.exchange(other);
  expect([await client.get(), client.isLast, client.name]).toEqual(["here", true, "first"]);
});

test("a certificate that cannot be used changes nothing", async () => {
  await using served = startServer();
  const { server } = served;
  expect(() => server.exchange({ ...one, key: other.key })).toThrow();
  expect(await nameAt(server.port)).toBe("first");
});

test("two servers do not share a port", async () => {
  await using served = startServer();
  const options = {
    at: { host: "127.0.0.1", port: served.server.port },
    handler: () => new Response(""),
    log: new RecordedLog(),
  };
  expect(() => new Server({ ...options, tls: other })).toThrow("Cannot listen on 127.0.0.1");
});
