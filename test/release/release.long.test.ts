import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import packageJson from "../../package.json";
import { wrongInSignature } from "../../src/release/code-signature.ts";
import { buildExecutable } from "../../src/release/executables.ts";
import { type Platform, PLATFORMS } from "../../src/release/platforms.ts";
import { release } from "../../src/release/release.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/server/temporary-directory.ts";
import { testFirstUse } from "./first-use.ts";
import { copyOfSources } from "./releases.ts";

const { version } = packageJson;
/** What is made is named after it, and dated 2026-11-29. */
const SOURCE = { commit: "0123456789ab", seconds: 1_795_939_200 };
const SHOWN = `coffer ${version} (commit 0123456789ab of 2026-11-29, Bun ${Bun.version})\n`;
const NAME = "linux-x64-baseline";

const LACKS_TOOLS = Bun.which("dpkg-deb") === null || Bun.which("rpmbuild") === null;
const CANNOT = process.platform !== "linux" || process.arch !== "x64" || LACKS_TOOLS;

let place: TemporaryDirectory;
/** Where the files are. */
let made = "";
/** The executable of the archive. */
let unpacked = "";

beforeAll(async () => {
  place = await temporaryDirectory();
  made = join(place.path, "release");
  if (CANNOT) return;
  await release({ directory: made, source: SOURCE, url: "https://example.com", only: [NAME] });
  const name = `coffer-${version}-${NAME}`;
  await Bun.$`tar -xzf ${name}.tar.gz -C ${place.path}`.cwd(made);
  unpacked = join(place.path, name, "coffer");
});
afterAll(() => place[Symbol.asyncDispose]());

function platform(name: string): Platform {
  const found = PLATFORMS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no platform ${name}.`);
  return found;
}

test.skipIf(CANNOT)(
  "the sums are of all files, and the archive has an executable that says what it is of",
  async () => {
    const checked = await Bun.$`sha256sum --check SHA256SUMS`.cwd(made).text();
    expect(checked.trim().split("\n").toSorted()).toEqual([
      `coffer-${version}-1.x86_64.rpm: OK`,
      `coffer-${version}-${NAME}.tar.gz: OK`,
      `coffer-${version}-${NAME}.tar.zst: OK`,
      `coffer-${version}.cdx.json: OK`,
      `coffer-${version}.tgz: OK`,
      `coffer-linux-x64-${version}.tgz: OK`,
      `coffer_${version}_amd64.deb: OK`,
      "latest.json: OK",
    ]);
    expect(await Bun.$`${unpacked} version`.text()).toBe(SHOWN);
    const beside = (await readdir(dirname(unpacked))).toSorted();
    expect(beside).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "coffer"]);
  },
);

test.skipIf(CANNOT)("the same source gives the same bytes in another directory", async () => {
  const sources = await copyOfSources(join(place.path, "sources"));
  // No link to those of this directory: their paths are a part of what is built.
  await Bun.$`${process.execPath} install --frozen-lockfile --production`.cwd(sources).quiet();
  const parts = {
    directory: join(place.path, "again"),
    cache: join(place.path, "cache"),
    source: SOURCE,
    key: null,
  };
  const call = `await (await import("./src/release/executables.ts")).buildExecutable(${JSON.stringify(platform(NAME))}, ${JSON.stringify(parts)})`;
  await Bun.$`${process.execPath} -e ${call}`.cwd(sources).quiet();
  const path = join(parts.directory, NAME, "coffer");
  expect((await Bun.$`cmp ${path} ${unpacked}`.nothrow().quiet()).exitCode).toBe(0);
});

test.skipIf(CANNOT).each(["darwin-x64", "darwin-arm64"])(
  "the executable of %s has a signature of each of its pages, which a byte that changes breaks",
  async (name) => {
    const cache = join(place.path, "cache");
    const parts = { directory: join(place.path, "macos"), cache, source: SOURCE, key: null };
    const { path } = await buildExecutable(platform(name), parts);
    const bytes = await Bun.file(path).bytes();
    expect(wrongInSignature(bytes)).toBeNull();
    const at = bytes.length >> 1;
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(wrongInSignature(bytes)).toMatch(/^page \d+ of \d+ has another hash$/);
  },
);

test.skipIf(CANNOT || Bun.which("npm") === null)(
  "the packages of npm run the executable as it runs itself",
  async () => {
    const project = join(place.path, "project");
    await Bun.write(join(project, "package.json"), "{}");
    const packages = [`coffer-linux-x64-${version}.tgz`, `coffer-${version}.tgz`].map((name) =>
      join(made, name),
    );
    await Bun.$`npm install --offline --ignore-scripts --no-audit --no-fund ${packages}`.cwd(project).quiet();
    const coffer = join(project, "node_modules/.bin/coffer");
    expect(await Bun.$`${coffer} version`.text()).toBe(SHOWN);
    const unknown = await Bun.$`${coffer} sreve now`.nothrow().quiet();
    expect([unknown.exitCode, unknown.stderr.toString()]).toEqual([
      2,
      expect.stringContaining('"sreve now"'),
    ]);

    const env = {
      ...process.env,
      COFFER_HOST: "127.0.0.1",
      COFFER_PORT: "0",
      COFFER_DATA_DIR: join(project, "data"),
    };
    const serving = () => Bun.spawn([coffer, "serve"], { env, stdout: "pipe", stderr: "ignore" });
    const stopped = serving();
    await ready(stopped.stdout);
    stopped.kill("SIGTERM");
    expect([await stopped.exited, stopped.signalCode]).toEqual([0, null]);

    // A signal that ends the executable ends the launcher by itself.
    const killed = serving();
    await ready(killed.stdout);
    const [child = ""] = (await Bun.$`cat /proc/${killed.pid}/task/${killed.pid}/children`.text()).split(" ");
    process.kill(Number(child), "SIGKILL");
    await killed.exited;
    expect(killed.signalCode).toBe("SIGKILL");

    await Bun.$`rm -r node_modules/coffer-linux-x64`.cwd(project);
    const missing = await Bun.$`${coffer} version`.nothrow().quiet();
    expect([missing.exitCode, missing.stderr.toString()]).toEqual([
      1,
      expect.stringContaining("the package coffer-linux-x64 is missing"),
    ]);
  },
);

/** Reads what a server prints until it is ready. */
async function ready(output: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of output) {
    text += decoder.decode(piece, { stream: true });
    if (text.includes("coffer is ready")) return;
  }
  throw new Error(`It ended: ${text}`);
}

testFirstUse(() => made, CANNOT ? "there is no release" : "");

test.skipIf(CANNOT)(
  "the RPM package has the executable as it was, its settings as such, and no time of its own",
  async () => {
    const file = join(made, `coffer-${version}-1.x86_64.rpm`);
    const format =
      "%{BUILDTIME} %{BUILDHOST} %{PAYLOADCOMPRESSOR}\n[%{FILENAMES} %{FILEFLAGS:fflags} %{FILEUSERNAME}\n]";
    const listed = await Bun.$`rpm --query --package --queryformat ${format} ${file}`.text();
    expect(listed.trim().split("\n")).toEqual(
      expect.arrayContaining([
        `${SOURCE.seconds} coffer zstd`,
        "/usr/bin/coffer  root",
        "/etc/coffer/coffer.env cn root",
      ]),
    );
    await Bun.$`rpm2archive ${file}`.quiet();
    const kept = await Bun.$`tar -xOzf ${file}.tgz ./usr/bin/coffer | cmp - ${unpacked}`.nothrow().quiet();
    expect(kept.exitCode).toBe(0);
  },
);
