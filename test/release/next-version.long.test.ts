import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cp, rename } from "node:fs/promises";
import { join } from "node:path";
import { writeDeb } from "../../src/release/deb.ts";
import { linuxVersion } from "../../src/release/linux-version.ts";
import { PLATFORMS } from "../../src/release/platforms.ts";
import { writeRpm } from "../../src/release/rpm.ts";
import { run, serve } from "../support/server/executable.ts";
import { eventually } from "../support/server/scenario.ts";
import { whyCannot, withReason } from "../support/server/skip.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { type EmptyRoot, type Machine, NO_EMPTY_ROOT, openEmptyRoot } from "./empty-root.ts";
import { answersOf, expectRefreshed, fill, type Kept } from "./kept.ts";
import { executableOf } from "./releases.ts";

const [OLDER, NEWER, FINAL] = ["0.2.0-rc.1", "0.2.0-rc.2", "0.2.0"];

let place: TemporaryDirectory;
/** Executables. */
let older = "";
let newer = "";
/** A store that the older one has left, what is in it, and what it answered. */
let store = "";
let kept: Kept;
let answers: Readonly<Record<string, string>>;

beforeAll(async () => {
  place = await temporaryDirectory();
  [older, newer] = await Promise.all([executableOf(OLDER, place.path), executableOf(NEWER, place.path)]);
  store = join(place.path, "store");
  await using server = await serve({ dataDir: store, program: older });
  kept = await fill(server);
  const walrus = `/v0/search?q=walrus&drive_id=${kept.drive}`;
  await eventually(async () => (await kept.client.paths(walrus)).length === 1);
  answers = await answersOf(server, kept);
  expect(Object.entries(answers).filter(([, answer]) => !answer.startsWith("200 "))).toEqual([]);
  expect(await server.stop()).toBe(0);
});
afterAll(() => place[Symbol.asyncDispose]());

test("the next version in the place of the one before keeps all that is in a store", async () => {
  const [dataDir, program] = [join(place.path, "data"), join(place.path, "coffer")];
  await Promise.all([cp(store, dataDir, { recursive: true }), cp(older, program)]);
  await cp(newer, `${program}.new`);
  expect((await run(["version"], { program })).stdout).toStartWith(`coffer ${OLDER} (`);
  await using before = await serve({ dataDir, program });

  // It may be replaced while it runs.
  await rename(`${program}.new`, program);
  expect(await answersOf(before, kept)).toEqual(answers);
  expect(await before.stop()).toBe(0);
  expect((await run(["version"], { program })).stdout).toStartWith(`coffer ${NEWER} (`);
  await using after = await serve({ dataDir, program });
  expect(await answersOf(after, kept)).toEqual(answers);
  await expectRefreshed(after, kept);
  expect(await after.stop()).toBe(0);
  expect(await run(["verify", "--full"], { dataDir, program })).toMatchObject({ code: 0, stderr: "" });
});

describe.skipIf(NO_EMPTY_ROOT !== "")(withReason("the package of the next candidate", NO_EMPTY_ROOT), () => {
  let root: EmptyRoot;
  beforeAll(async () => {
    root = await openEmptyRoot();
  });
  afterAll(() => root[Symbol.asyncDispose]());

  test("of Debian keeps files, keys and settings; so does its removal, and a purge unless asked", async () => {
    const machine = await root.machine();
    const install = (path: string) =>
      cp(path, machine.at("root.deb")).then(() => machine.run("dpkg -i /root.deb && rm /root.deb"));
    const before = await upgrade(machine, writeDeb, install);
    const version = await machine.run("dpkg-query -W -f '${Version}' coffer");
    expect(version).toBe(linuxVersion(NEWER));
    await machine.run(`dpkg --compare-versions ${version} gt ${linuxVersion(OLDER)}`);
    await machine.run(`dpkg --compare-versions ${version} lt ${linuxVersion(FINAL)}`);

    const sums = await sumsOf(machine);
    await machine.run("dpkg -r coffer");
    expect(await left(machine)).toEqual(["/etc/coffer/coffer.env", "/var/lib/coffer"]);
    await machine.run("dpkg -P coffer");
    expect(await left(machine)).toEqual(["/var/lib/coffer"]);
    expect(await sumsOf(machine)).toBe(sums);
    await install(before);
    await machine.run("COFFER_PURGE_DATA=yes dpkg -P coffer");
    expect(await left(machine)).toEqual([]);
  });

  const NO_RPM = whyCannot(["rpmbuild", "--version"], "rpmbuild does not run", ["rpm", "rpmbuild"]);
  test.skipIf(NO_RPM !== "")(
    withReason("of Fedora keeps files, keys and settings, and so does its removal", NO_RPM),
    async () => {
      const machine = await root.machine();
      await upgrade(machine, writeRpm, (path) => machine.rpm("--upgrade", "--nodeps", path));
      expect(await machine.rpm("--query", "coffer")).toBe(`coffer-${linuxVersion(NEWER)}-1.x86_64\n`);

      const sums = await sumsOf(machine);
      await machine.rpm("--erase", "--nodeps", "coffer");
      expect(await left(machine)).toEqual(["/etc/coffer/coffer.env.rpmsave", "/var/lib/coffer"]);
      expect(await sumsOf(machine)).toBe(sums);
    },
  );
});

/** A setting, without which answers would be others. */
const BY_HAND = "COFFER_RATE_LIMITS=free=1000000,pro=1000000,team=1000000";

/** Makes the package of an executable. */
async function packageOf(path: string, version: string, write: typeof writeDeb): Promise<string> {
  const platform = PLATFORMS.find(({ name }) => name === "linux-x64-baseline");
  if (platform === undefined) throw new Error("There is no such platform.");
  const texts = [{ name: "LICENSE", bytes: Buffer.from("MIT") }];
  return write(place.path, { platform, path }, { version, seconds: 1_795_939_200, texts });
}

/**
 * Installs the older package, gives its service the store and a setting, and installs the newer one over it. Returns the
 * path of the older one.
 */
async function upgrade(
  machine: Machine,
  write: typeof writeDeb,
  install: (path: string) => Promise<unknown>,
): Promise<string> {
  const [before, after] = await Promise.all([packageOf(older, OLDER, write), packageOf(newer, NEWER, write)]);
  await install(before);
  await cp(store, machine.at("var/lib/coffer"), { recursive: true });
  await machine.run(`
    chown -R coffer:coffer /var/lib/coffer
    printf 'COFFER_PORT=0\\n${BY_HAND}\\n' >>/etc/coffer/coffer.env`);
  {
    await using server = await machine.serveUnit();
    expect(await answersOf(server, kept)).toEqual(answers);
    await server.stop();
  }
  const sums = await sumsOf(machine);
  await install(after);
  expect(await sumsOf(machine)).toBe(sums);
  expect(await machine.run("tail -n 1 /etc/coffer/coffer.env; stat -c %a /etc/coffer/coffer.env")).toBe(
    `${BY_HAND}\n600\n`,
  );
  expect(await machine.run("coffer version")).toStartWith(`coffer ${NEWER} (`);
  await using server = await machine.serveUnit();
  expect(await answersOf(server, kept)).toEqual(answers);
  await expectRefreshed(server, kept);
  await server.stop();
  await machine.run(
    "setpriv --reuid coffer --regid coffer --clear-groups coffer verify --full --data-dir /var/lib/coffer",
  );
  return before;
}

/** The sum of every file of the service's data. */
function sumsOf(machine: Machine): Promise<string> {
  return machine.run("find /var/lib/coffer -type f -exec sha256sum {} + | sort");
}

/** What is left of a package. */
async function left(machine: Machine): Promise<string[]> {
  const found = await machine.run(
    "find /usr/bin/coffer /usr/lib/systemd/system/coffer.service /etc/coffer/* /var/lib/coffer -maxdepth 0 2>&1 || true",
  );
  return found
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("find: "));
}
