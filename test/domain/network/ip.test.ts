import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { isIP } from "node:net";
import { ipVersion, newIpList } from "../../../src/domain/network/address.ts";

const ANYTHING = fc.oneof(
  fc.ipV4(),
  fc.ipV4Extended(),
  fc.ipV6(),
  fc.ipV6().map((address) => `${address}%eth0`),
  fc.array(fc.nat({ max: 300 }), { minLength: 3, maxLength: 5 }).map((bytes) => bytes.join(".")),
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdefABCDEF.:%[]/ -")), maxLength: 50 }),
  fc.string(),
);

test("says of each text what Node's function says", () => {
  fc.assert(
    fc.property(ANYTHING, (text) => {
      const known = isIP(text);
      expect([text, ipVersion(text)]).toEqual([text, known === 4 || known === 6 ? known : 0]);
    }),
    { numRuns: 2000, seed: 1 },
  );
});

test.each([
  ["0.0.0.0", 4],
  ["255.255.255.255", 4],
  ["256.1.1.1", 0],
  ["01.2.3.4", 0],
  ["1.2.3", 0],
  ["1.2.3.4\n", 0],
  ["::", 6],
  ["::ffff:10.0.0.1", 6],
  ["fe80::1%eth0", 6],
  ["[::1]", 0],
  ["localhost", 0],
  ["", 0],
] as const)("%j is of version %d", (text, version) => {
  expect(ipVersion(text)).toBe(version);
});

test("a list has the addresses of its blocks", () => {
  const list = newIpList();
  list.addSubnet("10.0.0.0", 8, "ipv4");
  expect([list.check("10.1.2.3", "ipv4"), list.check("11.1.2.3", "ipv4")]).toEqual([true, false]);
});
