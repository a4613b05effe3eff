import { expect, test } from "bun:test";
import { numberedUsername, parseUsername, proposeUsername } from "../../../src/domain/accounts/user.ts";

test.each<[names: (string | null)[], username: string]>([
  [["ada"], "ada"],
  [["Ada Lovelace"], "ada-lovelace"],
  [["\u00c9lo\u00efse"], "eloise"],
  [["grace.hopper@example.com"], "grace-hopper"],
  [["ab", null, "@example.com", "third"], "third"],
  [["--a--b--"], "a-b"],
  [["---"], "user"],
  [["\u65e5\u672c"], "user"],
  [[], "user"],
  [[null, ""], "user"],
  [["a".repeat(40)], "a".repeat(32)],
  [[`${"a".repeat(31)}-b`], "a".repeat(31)],
  [["../../etc/passwd"], "etc-passwd"],
])("%p gives %p", (names, username) => {
  expect([proposeUsername(names), parseUsername("username", username)]).toEqual([username, username]);
});

test("a name of any length gives one", () => {
  expect(proposeUsername(["a".repeat(1_000_000)])).toBe("a".repeat(32));
});

test("numbers keep a username one", () => {
  expect(numberedUsername("ada", 2)).toBe("ada-2");
  expect(numberedUsername("a".repeat(32), 10)).toBe(`${"a".repeat(29)}-10`);
  const cut = numberedUsername(`${"a".repeat(29)}-bc`, 10);
  expect([cut, parseUsername("username", cut)]).toEqual([`${"a".repeat(29)}-10`, cut]);
});
