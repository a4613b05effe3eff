import { expect, test } from "bun:test";
import { localAddress, networkAddresses, ownAddress } from "../../src/network/local-address.ts";

const ipv4 = (address: string, internal = false) => ({ address, family: "IPv4", internal });
const ipv6 = (address: string, internal = false) => ({ address, family: "IPv6", internal });

const INTERFACES = {
  lo: [ipv4("127.0.0.1", true), ipv6("::1", true)],
  // The addresses that begin with fe80 count for this card alone.
  eth0: [ipv6("2001:db8::20"), ipv6("fe80::1"), ipv4("192.168.1.20")],
  wlan0: [ipv4("192.168.1.21"), ipv6("2001:db8::20")],
  gone: undefined,
};

test.each([
  ["0.0.0.0", ["http://192.168.1.20:2633", "http://192.168.1.21:2633"]],
  ["::", ["http://192.168.1.20:2633", "http://192.168.1.21:2633", "http://[2001:db8::20]:2633"]],
  ["192.168.1.21", ["http://192.168.1.21:2633"]],
  ["2001:db8::20", ["http://[2001:db8::20]:2633"]],
  ["127.0.0.1", []],
  ["::1", []],
  ["localhost", []],
])("a server that listens on %s is reached from elsewhere at %j", (host, addresses) => {
  expect(networkAddresses({ scheme: "http", host, port: 2633 }, INTERFACES)).toEqual(addresses);
});

test("the addresses of this machine are read where none are given", () => {
  for (const address of networkAddresses({ scheme: "http", host: "::", port: 2633 }))
    expect(new URL(address).port).toBe("2633");
});

test.each([
  ["0.0.0.0", "http://127.0.0.1:1", "http://localhost:1"],
  ["::", "http://[::1]:1", "http://localhost:1"],
  ["127.0.0.1", "http://127.0.0.1:1", "http://localhost:1"],
  ["::1", "http://[::1]:1", "http://localhost:1"],
  ["192.168.1.20", "http://192.168.1.20:1", "http://192.168.1.20:1"],
  ["2001:db8::20", "http://[2001:db8::20]:1", "http://[2001:db8::20]:1"],
  ["nas", "http://nas:1", "http://nas:1"],
])(
  "a server that listens on %s is at %s for programs of its machine, at %s for people",
  (host, program, person) => {
    expect(localAddress({ scheme: "http", host, port: 1 })).toBe(program);
    expect(ownAddress({ scheme: "http", host, port: 1 })).toBe(person);
  },
);

test("an address says what the server speaks, and no port that goes without saying", () => {
  const addresses = [443, 8443].map((port) => ownAddress({ scheme: "https", host: "nas", port }));
  expect(addresses).toEqual(["https://nas", "https://nas:8443"]);
});
