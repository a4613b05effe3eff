import { describe, expect, test } from "bun:test";
import { getPublic, isPublicAddress } from "../src/public-network.ts";
import { startTlsServer, TLS_NAME } from "./support/tls-server.ts";

const BOUNDS = { bytes: 1000, timeMs: 5000 };

describe("an address", () => {
  test.each([
    "8.8.8.8",
    "1.1.1.1",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.0.1",
    "172.32.0.1",
    "192.167.0.1",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::1",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "::",
    "::1",
    "::ffff:8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "100::1",
    "localhost",
    "",
  ])("%s is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("a document", () => {
  test("of a name that leads to this machine is not asked for", async () => {
    await using server = await startTlsServer(() => Response.json({}));
    const refused = await getPublic(server.url("/a"), BOUNDS, { ca: server.ca }).catch(String);
    expect(refused).toContain("no public address");
    expect(server.asked).toEqual([]);
  });

  test.each(["https://127.0.0.1/a", "https://[::1]/a", "https://2130706433/a", `http://${TLS_NAME}/a`])(
    "at %s is not asked for",
    async (url) => {
      const anywhere = { isAllowed: () => true };
      expect(await getPublic(new URL(url), BOUNDS, anywhere).catch(String)).toContain("only names");
    },
  );

  test("is checked for where it comes from: by its name in the certificate", async () => {
    await using server = await startTlsServer(() => Response.json({ a: 1 }));
    const here = { isAllowed: () => true };
    expect(await getPublic(server.url("/a"), BOUNDS, here).catch(String)).toContain("self signed");
    const { status, body } = await getPublic(server.url("/a?b"), BOUNDS, { ...here, ca: server.ca });
    expect([status, new TextDecoder().decode(body)]).toEqual([200, '{"a":1}']);
    expect(server.asked).toEqual(["/a?b"]);
  });

  test("is not looked for where its server sends one to", async () => {
    await using server = await startTlsServer(() => Response.redirect("http://127.0.0.1/"));
    const { status } = await getPublic(server.url("/a"), BOUNDS, { isAllowed: () => true, ca: server.ca });
    expect([status, server.asked]).toEqual([302, ["/a"]]);
  });

  test("that is too long, or does not end, is given up", async () => {
    await using server = await startTlsServer(({ url }) =>
      url.endsWith("/long")
        ? new Response("x".repeat(BOUNDS.bytes + 1))
        : new Response(new ReadableStream({ pull: () => new Promise(() => {}) })),
    );
    const here = { isAllowed: () => true, ca: server.ca };
    expect(await getPublic(server.url("/long"), BOUNDS, here).catch(String)).toContain(
      "more than 1000 bytes",
    );
    const slow = getPublic(server.url("/slow"), { ...BOUNDS, timeMs: 50 }, here);
    expect(await slow.catch(String)).toMatch(/abort/i);
  });
});
