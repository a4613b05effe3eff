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

/** Around what is an address. */
const EDGES = [
  "0.0.0.0",
  "255.255.255.255",
  "256.1.1.1",
  "01.2.3.4",
  "1.2.3",
  "1.2.3.4\n",
  "::",
  "::ffff:10.0.0.1",
];

test("says of each text what Node's function says", () => {
  const texts = [...EDGES, "fe80::1%eth0", "[::1]", "localhost", ""];
  fc.assert(
    fc.property(ANYTHING, (text) => {
      const known = isIP(text);
      expect([text, ipVersion(text)]).toEqual([text, known === 4 || known === 6 ? known : 0]);
    }),
    { numRuns: 2000, seed: 1, examples: texts.map((text) => [text]) },
  );
});

test("a list has the addresses of its blocks", () => {
  const list = newIpList();
  list.addSubnet("10.0.0.0", 8, "ipv4");
  expect([list.check("10.1.2.3", "ipv4"), list.check("11.1.2.3", "ipv4")]).toEqual([true, false]);
});
