import { describe, expect, test } from "bun:test";
import { getPublic, isPublicAddress, postPublic } from "../../src/network/public-network.ts";
import { Receiver } from "../support/peers/receiver.ts";
import { startTlsServer, TLS_NAME } from "../support/peers/tls-server.ts";

const BOUNDS = { bytes: 1000, timeMs: 60_000 };

/** What a text has between white space. */
const words = (text: string): string[] => text.match(/\S+/g) ?? [];

describe("an address", () => {
  const anybodys = words(`
    8.8.8.8 1.1.1.1 100.63.255.255 100.128.0.0 172.15.0.1 172.32.0.1 192.167.0.1 223.255.255.255
    2606:4700:4700::1111 2a00:1450::1`);
  test.each(anybodys)("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  const others = words(`
    0.0.0.0 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
    172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 203.0.113.1 224.0.0.1 240.0.0.1
    255.255.255.255 168.63.129.16
    :: ::1 ::ffff:8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1
    fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1 2001::1 2001:db8::1 2002:7f00:1::1 100::1
    localhost`);
  test.each([...others, ""])("%s is not", (address) => {
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

/** Where a message may go, beside the public internet. */
function to(...addresses: string[]) {
  const subnets = addresses.map((address) => ({ address, prefix: 32, family: "ipv4" as const }));
  return { bytes: 1000, subnets };
}

describe("a message", () => {
  const message = { headers: {}, body: "{}", signal: new AbortController().signal };
  const HERE = "127.0.0.1";

  test("goes without TLS only to the addresses that are allowed, whatever leads there", async () => {
    await using receiver = new Receiver();
    expect(await postPublic(new URL(receiver.url()), message, to(HERE))).toBe(204);
    expect(receiver.received).toHaveLength(1);
    const anywhere = { ...to("10.0.0.1"), isAllowed: () => true };
    for (const host of [HERE, "localhost", "[::ffff:127.0.0.1]", "0x7f.1", "127.1"]) {
      const url = new URL(receiver.url("/", host));
      expect([host, await postPublic(url, message, anywhere).catch(String)]).toEqual([
        host,
        "ForbiddenAddress: the server has no public address",
      ]);
    }
    expect(receiver.received).toHaveLength(1);
  });

  test("goes with TLS to public addresses as well, by the name in the certificate", async () => {
    await using server = await startTlsServer(() => new Response(null, { status: 201 }));
    const url = server.url("/hook");
    expect(await postPublic(url, message, to()).catch(String)).toContain("no public address");
    const here = { ...to(), isAllowed: () => true };
    expect(await postPublic(url, message, here).catch(String)).toContain("self signed");
    expect(await postPublic(url, message, { ...here, ca: server.ca })).toBe(201);
    expect(server.asked).toEqual(["/hook"]);
  });

  test("is over with the status of an answer that has no end, or is cut off", async () => {
    await using receiver = new Receiver();
    receiver.answer = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(4096)) }));
    expect(await postPublic(new URL(receiver.url()), message, to(HERE))).toBe(200);
  });
});
