import { describe, expect, test } from "bun:test";
import { trustedPeers } from "../../../src/http/connection/client-address.ts";
import { watcherCheck } from "../../../src/http/metrics/watcher.ts";
import { trusted } from "../stub-app.ts";

const TOKEN = "a-token-of-some-length";

/** What Prometheus sends, by `http://localhost:2633/metrics`. */
const SCRAPE = {
  accept: "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
  "accept-encoding": "gzip",
  host: "localhost:2633",
  "user-agent": "Prometheus/2.42.0",
  "x-prometheus-scrape-timeout-seconds": "10",
};

const OWNER = "0a1b2c3d4e5f60718293a4b5c6d7e8f9";

interface Asked {
  readonly token?: string | null;
  readonly baseUrl?: string;
  readonly proxies?: string;
  readonly peer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whether the metrics are shown. */
function isLetIn({ token = null, baseUrl = "/", proxies = "", peer, headers = {} }: Asked): boolean {
  const metricsToken = token === null ? null : { reveal: () => token };
  const check = watcherCheck({
    metricsToken,
    ownerToken: () => OWNER,
    baseUrl,
    isTrustedPeer: trustedPeers(trusted(proxies)),
  });
  try {
    check(new Request("http://localhost/metrics", { headers: { ...SCRAPE, ...headers } }), peer);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "UNAUTHORIZED" });
    return false;
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test("who can read the data directory is let in, whatever else is asked for, and nobody with less than that", () => {
  for (const token of [null, "a token of Prometheus"]) {
    const from = { peer: "192.0.2.1", baseUrl: "https://files.example", token };
    expect(isLetIn({ ...from, headers: bearer(OWNER) })).toBe(true);
    expect(isLetIn({ ...from, headers: bearer(OWNER.slice(1)) })).toBe(false);
    expect(isLetIn({ ...from, headers: bearer("") })).toBe(false);
  }
});

describe("without a token", () => {
  test.each(["127.0.0.1", "127.8.9.1", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])(
    "Prometheus on this machine, at %s, is let in",
    (peer) => {
      for (const host of ["localhost:2633", "127.0.0.1:2633", "127.0.0.1", "[::1]:2633", "LOCALHOST"]) {
        expect([host, isLetIn({ peer, headers: { host } })]).toEqual([host, true]);
      }
      expect(isLetIn({ peer, baseUrl: "http://localhost:2633" })).toBe(true);
    },
  );

  test.each([
    undefined,
    "",
    "192.0.2.1",
    "10.0.0.1",
    "::",
    "0.0.0.0",
    "2001:db8::1",
    "::ffff:192.0.2.1",
    "1270.0.0.1",
  ])("nobody is from elsewhere, at %p, whatever they say", (peer) => {
    expect(isLetIn({ peer })).toBe(false);
    expect(isLetIn({ peer, headers: { "x-forwarded-for": "127.0.0.1" } })).toBe(false);
    expect(isLetIn({ peer, headers: bearer(TOKEN) })).toBe(false);
  });

  test.each([
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "forwarded",
    "x-real-ip",
    "via",
    "cf-connecting-ip",
    "true-client-ip",
    "x-envoy-external-address",
    "x-amzn-trace-id",
    "x-the-next-proxy",
  ])("nobody whose request has passed a proxy, which says so by %s", (name) => {
    expect(isLetIn({ peer: "127.0.0.1", headers: { [name]: "127.0.0.1" } })).toBe(false);
  });

  test.each(["origin", "referer", "cookie", "sec-fetch-site", "sec-fetch-mode"])(
    "no browser on this machine, whose page may be anybody's, which sends %s",
    (name) => {
      expect(isLetIn({ peer: "127.0.0.1", headers: { [name]: "http://localhost:2633" } })).toBe(false);
    },
  );

  test.each([
    "drive.example.com",
    "192.0.2.1:2633",
    "localhost.example.com",
    "127.0.0.1.example.com",
    "127.0.0.1@example.com",
    "localhost, drive.example.com",
    "0.0.0.0",
    "[::]",
    "",
  ])("nobody who asks for %p: it leads to this machine by a tunnel, or by DNS rebinding", (host) => {
    expect(isLetIn({ peer: "127.0.0.1", headers: { host } })).toBe(false);
  });

  test("nobody by a proxy that says nothing but that it ends the connection, as nginx without settings does", () => {
    for (const connection of ["close", "Close"]) {
      expect(isLetIn({ peer: "127.0.0.1", headers: { connection } })).toBe(false);
    }
    expect(isLetIn({ peer: "127.0.0.1", headers: { connection: "keep-alive" } })).toBe(true);
  });

  test("nobody by a proxy that says nothing, where the server is known to have one", () => {
    expect(isLetIn({ peer: "127.0.0.1", proxies: "127.0.0.1" })).toBe(false);
    expect(isLetIn({ peer: "::1", proxies: "127.0.0.1,::1/128" })).toBe(false);
    expect(isLetIn({ peer: "127.0.0.1", proxies: "10.0.0.0/8" })).toBe(true);
    expect(isLetIn({ peer: "127.0.0.1", baseUrl: "https://drive.example.com" })).toBe(false);
  });
});

describe("with a token", () => {
  const elsewhere = { token: TOKEN, peer: "192.0.2.1", baseUrl: "https://drive.example.com" };

  test("who sends it is let in, from anywhere and by any proxy", () => {
    const headers = { ...bearer(TOKEN), "x-forwarded-for": "192.0.2.7", host: "drive.example.com" };
    expect(isLetIn({ ...elsewhere, headers })).toBe(true);
    expect(isLetIn({ ...elsewhere, peer: undefined, headers })).toBe(true);
    expect(isLetIn({ ...elsewhere, peer: "127.0.0.1", proxies: "127.0.0.1", headers })).toBe(true);
  });

  test("nobody is without it, also on this machine", () => {
    for (const peer of ["192.0.2.1", "127.0.0.1", "::1"]) expect(isLetIn({ ...elsewhere, peer })).toBe(false);
    const headers = { authorization: `Basic ${btoa(`prometheus:${TOKEN}`)}` };
    expect(isLetIn({ ...elsewhere, headers })).toBe(false);
  });

  test.each([
    "",
    "a",
    TOKEN.slice(1),
    TOKEN.slice(0, -1),
    `${TOKEN}x`,
    TOKEN.toUpperCase(),
    `${TOKEN} ${TOKEN}`,
  ])("nor with %p", (sent) => {
    expect(isLetIn({ ...elsewhere, headers: bearer(sent) })).toBe(false);
  });
});
