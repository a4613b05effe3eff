import { expect, test } from "bun:test";
import { clientAddresses } from "../../../src/http/connection/client-address.ts";
import { trusted } from "../stub-app.ts";

/** A network of proxies. */
const TEN = "10.0.0.0/8";
const V6 = "fd00::/8";
const MADE_UP = "1.1.1.1, 198.51.100.1 , 10.9.9.9";
const MAPPED = "::ffff:10.0.0.0/104";

test.each<
  [name: string, peer: string | undefined, client: string, forwarded?: string | null, trusts?: string]
>([
  ["the socket's peer", "203.0.113.7", "203.0.113.7"],
  ["no peer at all", undefined, "unknown"],
  ["IPv4 mapped into IPv6", "::ffff:203.0.113.7", "203.0.113.7"],
  ["IPv4 mapped into IPv6, in hex", "::ffff:cb00:7107", "203.0.113.7"],
  ["IPv6 counts per /64", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["the same /64, written short", "2001:db8:1:2::9", "2001:db8:1:2::/64"],
  ["IPv6 with zeros inside", "2001:db8::1", "2001:db8:0:0::/64"],
  ["IPv6 loopback", "::1", "0:0:0:0::/64"],
  ["IPv6 with a zone", "fe80::1%eth0", "fe80:0:0:0::/64"],
  ["without trusted proxies the header means nothing", "203.0.113.7", "203.0.113.7", "198.51.100.1"],
  ["a peer that is no trusted proxy is not believed", "203.0.113.7", "203.0.113.7", "198.51.100.1", TEN],
  ["a trusted proxy tells the client", "10.1.2.3", "198.51.100.1", "198.51.100.1", TEN],
  ["the mapped form of a trusted proxy", "::ffff:10.1.2.3", "198.51.100.1", "198.51.100.1", TEN],
  ["the last untrusted hop, not what the client made up", "10.1.2.3", "198.51.100.1", MADE_UP, TEN],
  ["all hops trusted: the first", "10.1.2.3", "10.0.0.1", "10.0.0.1,10.0.0.2", TEN],
  ["the last before a malformed hop", "10.1.2.3", "10.0.0.2", "198.51.100.1, nonsense, 10.0.0.2", TEN],
  ["an empty header", "10.1.2.3", "10.1.2.3", "", TEN],
  ["a single trusted address", "::1", "198.51.100.1", "198.51.100.1", "::1"],
  ["a trusted IPv6 network, an IPv6 client", "fd00::5", "2001:db8:1:2::/64", "2001:db8:1:2::9", V6],
  ["a trusted network in the mapped form", "10.1.2.3", "198.51.100.1", "198.51.100.1", MAPPED],
])("the client's address: %s", (_, peer, client, forwarded = null, trusts = "") => {
  expect(clientAddresses(trusted(trusts))(peer, forwarded)).toBe(client);
});
