import { describe, expect, test } from "bun:test";
import { clientAddresses } from "../../../src/http/connection/client-address.ts";
import { trusted } from "../stub-app.ts";

interface Case {
  readonly name: string;
  readonly proxies?: readonly string[];
  readonly peer: string | undefined;
  readonly forwarded?: string;
  readonly client: string;
}

const cases: readonly Case[] = [
  { name: "the socket's peer", peer: "203.0.113.7", client: "203.0.113.7" },
  { name: "no peer at all", peer: undefined, client: "unknown" },
  { name: "IPv4 mapped into IPv6", peer: "::ffff:203.0.113.7", client: "203.0.113.7" },
  { name: "IPv4 mapped into IPv6, in hex", peer: "::ffff:cb00:7107", client: "203.0.113.7" },
  { name: "IPv6 counts per /64", peer: "2001:db8:1:2:3:4:5:6", client: "2001:db8:1:2::/64" },
  { name: "the same /64, written short", peer: "2001:db8:1:2::9", client: "2001:db8:1:2::/64" },
  { name: "IPv6 with zeros inside", peer: "2001:db8::1", client: "2001:db8:0:0::/64" },
  { name: "IPv6 loopback", peer: "::1", client: "0:0:0:0::/64" },
  { name: "IPv6 with a zone", peer: "fe80::1%eth0", client: "fe80:0:0:0::/64" },
  {
    name: "without trusted proxies the header means nothing",
    peer: "203.0.113.7",
    forwarded: "198.51.100.1",
    client: "203.0.113.7",
  },
  {
    name: "a peer that is no trusted proxy is not believed",
    proxies: ["10.0.0.0/8"],
    peer: "203.0.113.7",
    forwarded: "198.51.100.1",
    client: "203.0.113.7",
  },
  {
    name: "a trusted proxy tells the client",
    proxies: ["10.0.0.0/8"],
    peer: "10.1.2.3",
    forwarded: "198.51.100.1",
    client: "198.51.100.1",
  },
  {
    name: "the mapped form of a trusted proxy",
    proxies: ["10.0.0.0/8"],
    peer: "::ffff:10.1.2.3",
    forwarded: "198.51.100.1",
    client: "198.51.100.1",
  },
  {
    name: "the last untrusted hop, not what the client made up before it",
    proxies: ["10.0.0.0/8"],
    peer: "10.1.2.3",
    forwarded: "1.1.1.1, 198.51.100.1 , 10.9.9.9",
    client: "198.51.100.1",
  },
  {
    name: "all hops trusted: the first",
    proxies: ["10.0.0.0/8"],
    peer: "10.1.2.3",
    forwarded: "10.0.0.1,10.0.0.2",
    client: "10.0.0.1",
  },
  {
    name: "a malformed hop ends the walk at the last good one",
    proxies: ["10.0.0.0/8"],
    peer: "10.1.2.3",
    forwarded: "198.51.100.1, nonsense, 10.0.0.2",
    client: "10.0.0.2",
  },
  { name: "an empty header", proxies: ["10.0.0.0/8"], peer: "10.1.2.3", forwarded: "", client: "10.1.2.3" },
  {
    name: "a single trusted address",
    proxies: ["::1"],
    peer: "::1",
    forwarded: "198.51.100.1",
    client: "198.51.100.1",
  },
  {
    name: "a trusted IPv6 network, and an IPv6 client",
    proxies: ["fd00::/8"],
    peer: "fd00::5",
    forwarded: "2001:db8:1:2::9",
    client: "2001:db8:1:2::/64",
  },
  {
    name: "a trusted network written in the mapped form",
    proxies: ["::ffff:10.0.0.0/104"],
    peer: "10.1.2.3",
    forwarded: "198.51.100.1",
    client: "198.51.100.1",
  },
];

describe("clientAddresses", () => {
  for (const { name, proxies = [], peer, forwarded = null, client } of cases) {
    test(name, () => {
      expect(clientAddresses(proxies.flatMap(trusted))(peer, forwarded)).toBe(client);
    });
  }
});
