import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { STORE_TOO_NEW } from "../../src/commands/exit-codes.ts";
import { Database } from "../../src/db/engine/database.ts";
import { VERSION } from "../../src/process/version.ts";
import { Publisher, ReleaseServer } from "../support/peers/release-server.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { runHere } from "../support/server/run-here.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

/** A place with a release of this version. */
function placeOf(version: string): ReleaseServer {
  const server = new ReleaseServer();
  const bytes = Buffer.from("an executable");
  server.publish({ version, platform: "linux-x64", bytes, by: new Publisher() });
  return server;
}

test("a check asks once, and its exit code says whether there is a newer version", async () => {
  await using newer = placeOf("99.0.0");
  expect(await runHere(["upgrade", "--check", "--upgrade-url", newer.url])).toEqual({
    code: 100,
    stdout: `This is Coffer ${VERSION}. The newest there is 99.0.0.\n`,
    stderr: expect.stringMatching(/^coffer: There is a newer version\. .*\.\n$/),
  });
  expect(newer.asked.map(({ url }) => url)).toEqual([`${newer.url}/latest.json`]);
  const told = await runHere(["upgrade", "--check", "--json", "--upgrade-url", `${newer.url}/`]);
  expect([told.code, JSON.parse(told.stdout)]).toEqual([
    100,
    { version: VERSION, newest: "99.0.0", newer: true },
  ]);
  await using same = placeOf(VERSION);
  const none = await runHere(["upgrade", "--check", "--json", "--upgrade-url", same.url]);
  expect([none.code, none.stderr, JSON.parse(none.stdout)]).toEqual([
    0,
    "",
    { version: VERSION, newest: VERSION, newer: false },
  ]);
});

test.each([
  [["--json"], "--json needs --check"],
  [["--check", "--without-signature"], "A check installs nothing"],
  [["--check"], "No address is known. Set COFFER_UPGRADE_URL"],
  [["--check", "--upgrade-url", "http://127.0.0.1:2"], "cannot be reached"],
  [["--upgrade-url", "http://releases.example"], "must be an https URL"],
  [["--upgrade-url", "https://releases.example", "--upgrade-key", "abc"], "must be a public key of minisign"],
])("upgrade %j fails", async (flags, says) => {
  const ended = await runHere(["upgrade", ...flags]);
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
  expect(ended.stderr).toContain(says);
});

test("what runs from source is not replaced, and asks nothing", async () => {
  await using newer = placeOf("99.0.0");
  const ended = await runHere(["upgrade", "--upgrade-url", newer.url, "--upgrade-key", new Publisher().key]);
  expect([ended.code, ended.stdout]).toEqual([1, ""]);
  expect(ended.stderr).toContain(`${process.execPath} is not upgraded here.`);
  expect(newer.asked).toEqual([]);
});

test("a store that a newer version has written ends the server with an exit code of its own", async () => {
  await using place = await temporaryDirectory();
  await mkdir(place.dataDir);
  await Database.open(join(place.dataDir, "coffer.db"), { now: () => 0 }).close();
  changeDatabase(
    place.dataDir,
    "INSERT INTO schema_migration (version, name, checksum, applied_at, coffer) VALUES (99, 'next', 'c', 0, '9.8.7')",
  );
  const ended = await runHere(["serve", "--host", "127.0.0.1", "--port", "0"], place.dataDir);
  expect([ended.code, ended.stderr]).toEqual([
    STORE_TOO_NEW,
    expect.stringMatching(
      /this executable, Coffer .* was upgraded by a newer Coffer, 9\.8\.7: start that one/,
    ),
  ]);
  const verified = await runHere(["verify"], place.dataDir);
  expect([verified.code, verified.stderr]).toEqual([2, expect.stringContaining("schema version 99")]);
});
