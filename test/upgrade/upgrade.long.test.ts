import { afterAll, beforeAll, expect, test } from "bun:test";
import { symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import packageJson from "../../package.json";
import { Publisher, ReleaseServer } from "../support/peers/release-server.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { copyOfSources } from "../release/releases.ts";

const ROOT = resolve(import.meta.dir, "../..");
const PLATFORM = "linux-x64";
/** Two executables are built, perhaps while other tests keep all processors busy. */
const BUILDS_MS = 600_000;

const by = new Publisher();
const server = new ReleaseServer();
let place: TemporaryDirectory;
/** Where version 98 is, which knows the key. */
let path = "";

beforeAll(async () => {
  place = await temporaryDirectory();
  path = join(place.path, "bin/coffer");
  await buildAs("98.0.0", path);
  const newer = join(place.path, "newer");
  await buildAs("99.0.0", newer);
  const bytes = await Bun.file(newer).bytes();
  server.publish({ version: "99.0.0", platform: PLATFORM, bytes, by });
}, BUILDS_MS);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

/** Builds an executable of a release of this version, in a process of its own. */
async function buildAs(version: string, outfile: string): Promise<void> {
  const root = await copyOfSources(join(place.path, `source-${version}`));
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  await Bun.write(join(root, "package.json"), JSON.stringify({ ...packageJson, version }));
  const release = JSON.stringify({ platform: PLATFORM, key: by.key });
  const code = `import { build } from "./src/build.ts";
    await build("src/main.ts", ${JSON.stringify(outfile)}, { release: ${release} });`;
  await Bun.$`${process.execPath} -e ${code}`.cwd(root).quiet();
}

/** Runs the executable in an environment of its own. */
async function coffer(...args: readonly string[]) {
  const env = { PATH: process.env["PATH"] ?? "", COFFER_UPGRADE_URL: server.url };
  const { exitCode, stdout, stderr } = await Bun.$`${path} ${args}`.env(env).quiet().nothrow();
  return { code: exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

test("an executable finds a newer one, refuses it from others, and becomes it", async () => {
  expect(await coffer("upgrade", "--check")).toEqual({
    code: 100,
    stdout: "This is Coffer 98.0.0. The newest there is 99.0.0.\n",
    stderr: "coffer: There is a newer version. To install it, run coffer upgrade.\n",
  });
  expect((await coffer("upgrade", "--without-signature")).stderr).toContain("There is a key");
  expect((await coffer("upgrade", "--upgrade-key", new Publisher().key)).stderr).toContain(
    "signed with another key",
  );
  expect((await coffer("version")).stdout).toStartWith("coffer 98.0.0 ");

  const upgraded = await coffer("upgrade");
  expect([upgraded.code, upgraded.stderr]).toEqual([0, ""]);
  expect(upgraded.stdout).toStartWith(
    `${path} is Coffer 99.0.0 now. Coffer 98.0.0 is kept as ${path}.previous.\n`,
  );
  expect((await coffer("version")).stdout).toStartWith("coffer 99.0.0 ");
  expect(await coffer("upgrade", "--check")).toMatchObject({ code: 0 });
  expect((await coffer("upgrade")).stdout).toContain("nothing was changed");

  // The way back that it has said.
  const back = /^To go back, stop the server, and run: (mv .*)$/m.exec(upgraded.stdout)?.[1] ?? "false";
  await Bun.$`sh -c ${back}`;
  expect((await coffer("version")).stdout).toStartWith("coffer 98.0.0 ");
}, 120_000);
