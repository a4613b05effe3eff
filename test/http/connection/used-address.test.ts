import { expect, test } from "bun:test";
import { usedAddress } from "../../../src/http/gate/link-base.ts";

const addressOf = (headers: Record<string, string>, isProxy = false) =>
  usedAddress(new Headers(headers), isProxy);

test.each([
  ["nas:2633", "http://nas:2633"],
  ["nas", "http://nas"],
  ["NAS.Local:2633", "http://nas.local:2633"],
  ["nas.", "http://nas."],
  ["my_coffer:2633", "http://my_coffer:2633"],
  ["xn--bcher-kva.example", "http://xn--bcher-kva.example"],
  ["192.168.1.20:2633", "http://192.168.1.20:2633"],
  ["[2001:DB8::20]:2633", "http://[2001:db8::20]:2633"],
  ["[::ffff:192.168.1.20]", "http://[::ffff:c0a8:114]"],
  ["nas:80", "http://nas"],
  ["nas:65535", "http://nas:65535"],
])("the Host %s is the address %s", (host, address) => {
  expect(addressOf({ host })).toBe(address);
});

const NO_ADDRESSES = [
  ["", " ", "a, b", "a,b", "a b", "a\tb"],
  ["user@nas", "user:password@nas", "nas/path", "nas?x", "nas#x", "nas\\x"],
  ["nas:", "nas:0", "nas:080", "nas:65536", "nas:999999", "nas:http", "nas:1:2", ":2633"],
  ["a..b", ".a", "-a", "a-", `${"a".repeat(64)}.example`, `${"a.".repeat(127)}aa`],
  ["%41", "n%61s", "é", "nas<script>", 'nas"', "nas'", "${nas}"],
  ["::1", "[::1", "::1]", "[nas]", "[::1]x", "[fe80::1%25eth0]", "[1.2.3.4]"],
  ["1.2.3", "0x7f.1", "1.2.3.4.5", "256.1.1.1"],
].flat();
test.each(NO_ADDRESSES)("the Host %j is no address", (host) => {
  expect(addressOf({ host })).toBeNull();
});

test("a request without a Host has no address", () => {
  expect([addressOf({}), addressOf({}, true)]).toEqual([null, null]);
});

const forwarded = (host: string, scheme: string) => ({
  host: "127.0.0.1:2633",
  "x-forwarded-host": host,
  "x-forwarded-proto": scheme,
});

test.each<[asked: Record<string, string>, isProxy: boolean, address: string]>([
  [forwarded("drive.example:8443", "https"), false, "http://127.0.0.1:2633"],
  [forwarded("drive.example:8443", "https"), true, "https://drive.example:8443"],
  [forwarded("drive.example:443", "HTTPS"), true, "https://drive.example"],
  [{ host: "nas:2633" }, true, "http://nas:2633"],
  [{ host: "drive.example", "x-forwarded-proto": "https" }, true, "https://drive.example"],
])("only a trusted proxy says what it was asked for: %j, %p", (asked, isProxy, address) => {
  expect(addressOf(asked, isProxy)).toBe(address);
});

test.each([
  ["a.example, b.example", "https"],
  ["", "https"],
  ["drive.example", "https, http"],
  ["drive.example", "javascript"],
  ["drive.example", ""],
])("what a trusted proxy says must be an address as well: %j, %j", (host, scheme) => {
  expect(addressOf(forwarded(host, scheme), true)).toBeNull();
});
