import { afterAll, expect, test } from "bun:test";
import { chmod, chown, mkdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathsIn } from "../../src/data-directory/data-directory.ts";
import { directoryCheck } from "../../src/doctor/directory-checks.ts";
import { startTlsServer } from "../support/peers/tls-server.ts";
import { addAccount } from "../support/server/accounts.ts";
import { startAppliance } from "../support/server/appliance.ts";
import { freePort } from "../support/server/executable.ts";
import { runHere } from "../support/server/run-here.ts";
import { withReason } from "../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

// Its records are of the time that the command sees.
const coffer = await startAppliance({}, { prepare: () => Promise.resolve(Date.now()) });

afterAll(() => coffer[Symbol.asyncDispose]());

interface Line {
  readonly name: string;
  readonly level: string;
  readonly found: string;
  readonly advice: string | null;
}

/** Runs `coffer doctor` for a server. Returns the exit code, and the lines by what they are about. */
async function examined(flags: readonly string[] = [], { appliance, dataDir } = coffer) {
  const { port } = new URL(appliance.url);
  const where = ["--host", "127.0.0.1", "--port", port, "--disk-reserve", "0"];
  const { code, stdout } = await runHere(["doctor", "--json", ...where, ...flags], dataDir);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line): Line => JSON.parse(line));
  return { code, lines: Object.fromEntries(lines.map((line) => [line.name, line])) };
}

test("doctor finds nothing wrong with a server that is well, but that it makes no backups", async () => {
  const { code, lines } = await examined(["--base-url", coffer.appliance.url]);
  const levels = Object.entries(lines).map(([name, { level }]) => [name, level]);
  expect([code, Object.fromEntries(levels)]).toEqual([
    0,
    {
      directory: "ok",
      disk: "ok",
      clock: "ok",
      "open files": expect.stringMatching(/^(ok|warning)$/),
      server: "ok",
      address: "ok",
      backup: "warning",
      index: "ok",
    },
  ]);
});

test("doctor says what is wrong, and what to do about it", async () => {
  const future = join(coffer.dataDir, "tmp", "future");
  await mkdir(join(coffer.dataDir, "tmp"), { recursive: true });
  await writeFile(future, "");
  await utimes(future, 4_000_000_000, 4_000_000_000);
  await chmod(coffer.dataDir, 0o755);
  await using other = await startTlsServer(() => new Response("hello"));
  const cases: readonly (readonly [name: string, level: string, found: RegExp, flags: readonly string[]])[] =
    [
      ["directory", "warning", /other users can reach/, []],
      ["clock", "error", /the clock is \d+ seconds behind/, []],
      ["disk", "error", /uploads are refused below/, ["--disk-reserve", "4000TiB"]],
      ["server", "error", /holds the data directory/, ["--port", "2"]],
      ["address", "error", /does not answer/, ["--base-url", "http://127.0.0.1:2"]],
      ["certificate", "error", /does not trust/, ["--base-url", other.url("/").origin]],
      ["sign-in", "warning", /not as Coffer does/, ["--base-url", `${coffer.appliance.url}/coffer`]],
      ["backup", "warning", /none yet/, ["--backup", "/nowhere/backups"]],
    ];
  for (const [name, level, found, flags] of cases) {
    const { code, lines } = await examined(flags);
    const said = lines[name];
    expect([name, code, said?.level]).toEqual([name, 1, level]);
    expect(said?.found).toMatch(found);
    expect(said?.advice).toMatch(/\.$/);
  }
});

const NOT_ROOT = process.getuid?.() === 0 ? "" : "only root gives files away";
test.skipIf(NOT_ROOT !== "")(
  withReason("doctor asks who owns the database, where everybody may write to the directory", NOT_ROOT),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const directory = pathsIn(place.path);
    await writeFile(directory.database, "", { mode: 0o600 });
    await chown(directory.database, 12_345, 12_345);
    await chmod(place.path, 0o777);
    const { level, advice } = directoryCheck(directory, 12_345);
    expect([level, advice]).toEqual(["warning", expect.stringContaining(`chown 12345 ${place.path}`)]);
    const another = { level: "error", found: expect.stringContaining("belongs to user 12345") };
    expect(directoryCheck(directory, 65_532)).toMatchObject(another);
    await chmod(place.path, 0o755);
    const roots = { level: "error", found: expect.stringContaining("belongs to user 0") };
    expect(directoryCheck(directory, 12_345)).toMatchObject(roots);
  },
);

test("doctor finds the way to sign in of a server under a path", async () => {
  const port = String(freePort());
  const base = `http://127.0.0.1:${port}/coffer`;
  await using under = await startAppliance({ port, "base-url": base });
  // The second time there is a user, so that the document is there.
  for (const username of ["ada", "bob"]) {
    const { lines } = await examined(["--base-url", base], under);
    expect([lines["address"]?.level, lines["sign-in"]?.level]).toEqual(["ok", "ok"]);
    addAccount(under, username);
  }
});

test("doctor tells what the server knows to be wrong, and works without it", async () => {
  await using full = await startAppliance({ "disk-reserve": "4000TiB" });
  const told = await examined([], full);
  expect(told.lines["server"]).toMatchObject({ level: "error", found: "storage_full" });
  await full.close();
  expect((await examined([], full)).lines["server"]).toMatchObject({
    level: "ok",
    found: expect.stringMatching(/^none runs/),
  });
});
