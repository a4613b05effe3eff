import { expect, test } from "bun:test";
import { openSync } from "node:fs";
import { NEEDED } from "../../../src/process/descriptors.ts";
import { RawClient } from "../../http/raw-client.ts";
import { nameAt, TlsClient } from "../../http/tls-client.ts";
import { NO_STRACE } from "../../support/faults/faults.ts";
import { HeldSocket } from "../../support/peers/held-socket.ts";
import { makeCertificate } from "../../support/samples/certificates.ts";
import {
  inShell,
  provision,
  refusedStart,
  run,
  type ServeOptions,
  serve,
} from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";
import { isThorough } from "../../support/server/thorough.ts";

const isLinux = process.platform === "linux";
const RESTARTS = isThorough() ? 25 : 3;

interface Passing extends ServeOptions {
  readonly sockets: readonly { readonly descriptor: number }[];
  /** `LISTEN_FDNAMES`; by default there is none. */
  readonly names?: string;
  /** `LISTEN_FDS`; by default how many there are. */
  readonly count?: string;
  /** `LISTEN_PID`, as a shell writes it that becomes the server. */
  readonly pid?: string;
  /** `ulimit -n`; by default that of this process. */
  readonly openFiles?: number;
}

/** What a start is given by a manager of services that passes sockets. */
function passing({
  sockets,
  names,
  count = String(sockets.length),
  pid = "$$",
  openFiles,
  env,
  ...more
}: Passing) {
  const limit = openFiles === undefined ? "" : `; ulimit -n ${openFiles}`;
  return {
    ...more,
    passed: sockets.map(({ descriptor }) => descriptor),
    wrapper: inShell(`export LISTEN_PID=${pid}${limit}`),
    env: {
      COFFER_HOST: "192.0.2.1",
      COFFER_PORT: "9",
      ...env,
      LISTEN_FDS: count,
      ...(names === undefined ? {} : { LISTEN_FDNAMES: names }),
    },
  };
}

/** Starts a server at passed sockets; its port is that of the first. */
async function servePassed(options: Passing) {
  const server = await serve(passing(options));
  server.port = portOf(server.stdout.text);
  return server;
}

/** The port of the address that a log shows. */
function portOf(log: string): number {
  return Number(/"url":"https?:\/\/[^:"]*:(\d+)"/.exec(log)?.[1]);
}

/** Clients that send one request after another, each on a connection of its own, until they are told to stop. */
class Visitors {
  answered = 0;
  #isOver = false;
  #next = Promise.withResolvers<void>();
  readonly #visits: Promise<unknown>;

  constructor(visit: () => Promise<string>) {
    this.#visits = Promise.all(Array.from({ length: 8 }, () => this.#ask(visit)));
  }

  /** Resolves when so many more were answered, or one was not. */
  async untilAnswered(count: number): Promise<void> {
    const wanted = this.answered + count;
    while (this.answered < wanted) await Promise.race([this.#next.promise, this.#visits]);
  }

  /** Rejects if any request was not answered. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.#visits;
  }

  async #ask(visit: () => Promise<string>): Promise<void> {
    while (!this.#isOver) {
      expect(await visit()).toContain('"status":"ok"');
      this.answered += 1;
      this.#next.resolve();
      this.#next = Promise.withResolvers();
    }
  }
}

async function visitPlain(port: number): Promise<string> {
  using client = await RawClient.to(port);
  await client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  return JSON.stringify((await client.response()).body);
}

async function visitSecret(port: number): Promise<string> {
  const client = await TlsClient.to(port);
  const body = await client.get("/healthz");
  client.close();
  return body;
}

/** Restarts a server again and again, while visitors come. */
async function expectNoneLost(options: Passing, port: number, visit: (port: number) => Promise<string>) {
  let server = await servePassed(options);
  expect(server.port).toBe(port);
  const visitors = new Visitors(() => visit(port));
  for (let restart = 0; restart < RESTARTS; restart++) {
    await visitors.untilAnswered(100);
    expect(await server.stop()).toBe(0);
    // It waits while no server runs.
    const waiting = visit(port);
    server = await servePassed(options);
    expect(await waiting).toContain('"status":"ok"');
  }
  await visitors.end();
  expect(await server.stop()).toBe(0);
}

test.if(isLinux)(`no request is lost over ${RESTARTS} restarts, nor refused in between`, async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  using socket = new HeldSocket();
  await expectNoneLost({ sockets: [socket], dataDir: place.dataDir }, socket.port, visitPlain);
});

test.if(isLinux)(
  "HTTPS and its redirect are served at two passed sockets, and no request is lost there either",
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const { cert, key } = await makeCertificate(place.path, "first");
    using plain = new HeldSocket();
    using secret = new HeldSocket();
    const options = {
      sockets: [plain, secret],
      names: "redirect:coffer.socket",
      env: { COFFER_TLS_CERT: cert, COFFER_TLS_KEY: key, COFFER_TLS_REDIRECT_PORT: "80" },
      dataDir: place.dataDir,
    };
    await expectNoneLost(options, secret.port, visitSecret);
    await using _ = await servePassed(options);
    expect(await nameAt(secret.port)).toBe("first");
    const { status, headers } = await fetch(`http://127.0.0.1:${plain.port}/docs`, { redirect: "manual" });
    expect([status, headers.get("location")]).toEqual([308, `https://localhost:${secret.port}/docs`]);
  },
);

test.if(isLinux)(
  "what the server says of itself is at the passed socket, of IPv6 too, and commands find it there",
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    using socket = new HeldSocket("listening", "::");
    const { dataDir } = place;
    await using server = await servePassed({ sockets: [socket], dataDir });
    const { client } = await provision(server);
    expect((await client.send("GET", "/v0/drives")).status).toBe(200);
    expect(server.stdout.text).toContain(`"url":"http://localhost:${socket.port}"`);
    const status = await run(["status", "--json"], { dataDir });
    expect([status.code, status.stderr]).toEqual([0, ""]);
    expect(JSON.parse(status.stdout)).toMatchObject({
      pid: server.pid,
      addresses: expect.arrayContaining([`http://localhost:${socket.port}`]),
    });
    expect((await run(["healthcheck"], { dataDir })).code).toBe(0);
    const doctor = await run(["doctor"], { dataDir });
    expect(doctor.stdout).toMatch(/^ok +server: +it runs/m);
    // Without a passed socket the settings say where it is again.
    expect(await server.stop()).toBe(0);
    await using plain = await serve({ dataDir });
    expect((await run(["status", "--port", String(plain.port)], { dataDir })).code).toBe(0);
  },
);

// By itself, as in descriptors.test.ts.
test.serial.if(isLinux)(
  "connections for which there are no descriptors wait, and are served later",
  async () => {
    using socket = new HeldSocket();
    await using server = await servePassed({ sockets: [socket], openFiles: NEEDED.server });
    const begun = await Promise.all(Array.from({ length: 300 }, () => RawClient.to(socket.port)));
    for (const client of begun) await client.write("GET /healthz HTTP/1.1\r\n");
    await server.stdout.until(/too many connections/);
    const waiting = visitPlain(socket.port);
    for (const client of begun) client.close();
    await server.stdout.until(/connections are accepted again/);
    expect(await waiting).toContain('"status":"ok"');
    expect(await server.stop()).toBe(0);
  },
);

test.if(isLinux)("sockets that were passed to another process are left alone", async () => {
  using socket = new HeldSocket();
  const env = { COFFER_HOST: "127.0.0.1", COFFER_PORT: "0" };
  await using server = await servePassed({ sockets: [socket], pid: "1", env });
  expect(server.port).not.toBe(socket.port);
});

test.if(isLinux)(
  "anything but a socket that can be served stops the start with one line that says so",
  async () => {
    using one = new HeldSocket();
    using two = new HeldSocket();
    using bound = new HeldSocket("bound");
    using datagram = new HeldSocket("datagram");
    using connected = new HeldSocket("connected", "127.0.0.1", one.port);
    const file = { descriptor: openSync("/dev/null", "r") };
    const notListening = "Descriptor 3 was passed, and is no TCP socket that listens";
    for (const [given, says] of [
      [{ sockets: [bound] }, notListening],
      [{ sockets: [datagram] }, notListening],
      [{ sockets: [connected] }, notListening],
      [{ sockets: [file] }, notListening],
      [{ sockets: [], count: "1" }, notListening],
      [{ sockets: [one], count: "9" }, "does not fit"],
      [{ sockets: [one, two] }, "one must have another name than redirect"],
      [{ sockets: [one, two], names: "coffer.socket:redirect" }, "needs COFFER_TLS_REDIRECT_PORT"],
    ] as const) {
      await using place = await temporaryDirectory(FAST_DIRECTORY);
      expect(await refusedStart(passing({ ...given, dataDir: place.dataDir }))).toContain(says);
    }
  },
);

test
  .skipIf(NO_STRACE !== "")
  .each([
    ["takes no socket", "dup3:error=EBADF"],
    ...(isThorough() ? [["accepts nothing from it", "accept4:error=EAGAIN"] as const] : []),
  ] as const)(
  withReason("a runtime that %s stops the start, and half a server is never ready", NO_STRACE),
  async (_, fault) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    using socket = new HeldSocket();
    const { wrapper, ...options } = passing({ sockets: [socket], dataDir: place.dataDir });
    const [calls = ""] = fault.split(":");
    // -D: the server keeps the id of the process that it is started in.
    const strace = [
      "strace",
      "-D",
      "-f",
      "-qq",
      "-o",
      "/dev/null",
      "-e",
      `trace=${calls}`,
      "-e",
      `inject=${fault}`,
    ];
    const said = await refusedStart({ ...options, wrapper: [...wrapper, ...strace] });
    expect(said).toContain("cannot be used by this version. Disable the socket unit");
  },
);
