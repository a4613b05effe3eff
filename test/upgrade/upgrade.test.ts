import { describe, expect, test } from "bun:test";
import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parseReleaseKey } from "../../src/domain/upkeep/release-key.ts";
import { lockDirectory } from "../../src/upgrade/directory-lock.ts";
import { otherWay } from "../../src/upgrade/installation.ts";
import { ReleasePlace } from "../../src/upgrade/release-place.ts";
import { isNewer, upgrade } from "../../src/upgrade/upgrade.ts";
import { Publisher, ReleaseServer } from "../support/peers/release-server.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const PLATFORM = "linux-x64";
const ARCHIVE = `coffer-2.0.0-${PLATFORM}.tar.gz`;

/** An executable that says a version. */
function saying(version: string): Buffer {
  return Buffer.from(`#!/bin/sh\necho "coffer ${version} (Bun 1)"\n`);
}

/** Version 1.0.0 on this machine, and 2.0.0 at a place of releases. */
async function setUp() {
  await using made = new AsyncDisposableStack();
  const directory = made.use(await temporaryDirectory());
  const server = made.use(new ReleaseServer());
  const by = new Publisher();
  const path = join(directory.path, "coffer");
  await Bun.write(path, saying("1.0.0"));
  await chmod(path, 0o750);
  const publish = (version: string, bytes = saying(version)) =>
    server.publish({ version, platform: PLATFORM, bytes, by });
  publish("2.0.0");
  const stop = new AbortController();
  const told: number[] = [];
  const began = Promise.withResolvers<void>();
  const run = (key: string | null = by.key) =>
    upgrade({
      path,
      platform: PLATFORM,
      key: key === null ? null : parseReleaseKey(key),
      place: new ReleasePlace(server.url, stop.signal),
      tell: (_, bytes) => {
        told.push(bytes);
        began.resolve();
      },
    });
  const scope = made.move();
  return {
    directory: directory.path,
    server,
    by,
    path,
    publish,
    run,
    stop,
    told,
    /** Resolves when the first bytes of an archive are there. */
    began: began.promise,
    /** What it says if it fails. */
    refusal: (key?: string | null) => refusalOf(run(key)),
    /** The names beside the executable, and what it says. */
    seen: async () => [(await readdir(directory.path)).toSorted(), await Bun.$`${path} version`.text()],
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

const UNCHANGED = [["coffer"], "coffer 1.0.0 (Bun 1)\n"];
const UPGRADED = [["coffer", "coffer.previous"], "coffer 2.0.0 (Bun 1)\n"];

test("the executable is replaced, as accessible as before, and the one before is kept", async () => {
  await using place = await setUp();
  const before = await stat(place.path);
  const previous = `${place.path}.previous`;
  expect(await place.run()).toEqual({ from: "1.0.0", to: "2.0.0", newest: "2.0.0", previous });
  expect(await place.seen()).toEqual(UPGRADED);
  expect((await stat(place.path)).mode & 0o777).toBe(0o750);
  expect((await stat(previous)).ino).toBe(before.ino);
  expect(place.told.at(-1)).toBe(place.server.files.get(ARCHIVE)?.length);
  place.publish("2.0.1");
  await place.run();
  expect(await Bun.$`${previous} version`.text()).toBe("coffer 2.0.0 (Bun 1)\n");
  expect(await place.seen()).toEqual([["coffer", "coffer.previous"], "coffer 2.0.1 (Bun 1)\n"]);
});

test("what an upgrade that was cut off has left is in nobody's way", async () => {
  await using place = await setUp();
  for (const ending of ["download", "new", "previous.new"])
    await Bun.write(`${place.path}.${ending}`, "rest");
  await Bun.$`ln ${place.path} ${place.path}.previous`;
  await place.run();
  expect(await place.seen()).toEqual(UPGRADED);
});

test.each(["1.0.0", "0.9.9", "1.0.0-rc.1"])("a release of %s changes nothing", async (version) => {
  await using place = await setUp();
  place.publish(version);
  expect(await place.run()).toMatchObject({ from: "1.0.0", to: "1.0.0", newest: version });
  expect(await place.seen()).toEqual(UNCHANGED);
  expect(place.server.asked).toHaveLength(1);
});

test("the server is told nothing of this machine", async () => {
  await using place = await setUp();
  await place.run();
  expect(place.server.asked).toHaveLength(4);
  for (const { method, url, headers } of place.server.asked) {
    expect([method, new URL(url).search, headers["user-agent"]]).toEqual(["GET", "", "coffer"]);
    const names = ["accept", "accept-encoding", "connection", "host", "user-agent"];
    expect(Object.keys(headers).toSorted()).toEqual(names);
  }
});

test("without a key the place alone is trusted, and the sum still counts", async () => {
  await using place = await setUp();
  place.server.files.delete("SHA256SUMS.minisig");
  expect(await place.run(null)).toMatchObject({ to: "2.0.0" });
  place.publish("3.0.0");
  place.server.files.set(`coffer-3.0.0-${PLATFORM}.tar.gz`, "another");
  expect(await place.refusal(null)).toContain("its sum is another one");
});

type Place = Awaited<ReturnType<typeof setUp>>;

/** What is wrong with a release, and what is said then. */
const REFUSED: readonly (readonly [what: string, spoil: (place: Place) => unknown, says: string])[] = [
  [
    "no signature",
    ({ server }) => server.files.delete("SHA256SUMS.minisig"),
    "SHA256SUMS.minisig answers 404",
  ],
  [
    "something else as the signature",
    ({ server }) => server.files.set("SHA256SUMS.minisig", "<html>"),
    "is no signature of minisign",
  ],
  [
    "the signature of somebody else",
    ({ server }) =>
      server.files.set("SHA256SUMS.minisig", new Publisher().sign(sumsOf(server), "coffer 2.0.0")),
    "signed with another key",
  ],
  [
    "sums that were changed",
    ({ server }) => server.files.set("SHA256SUMS", `${sumsOf(server)}\n`),
    "SHA256SUMS was changed",
  ],
  [
    "a comment that was changed",
    ({ server, by }) => {
      const older = by.sign(sumsOf(server), "coffer 1.5.0");
      server.files.set("SHA256SUMS.minisig", older.replace("coffer 1.5.0", "coffer 2.0.0"));
    },
    "SHA256SUMS was changed",
  ],
  [
    "an older release under the version of a newer one",
    ({ server, publish }) => {
      publish("1.5.0");
      server.files.set("latest.json", '{"version":"9.0.0"}');
    },
    "latest.json says coffer 9.0.0, but the sums are signed as those of coffer 1.5.0",
  ],
  [
    "an archive that was changed",
    ({ server }) => server.files.set(ARCHIVE, "another"),
    "its sum is another one",
  ],
  [
    "nothing for this platform",
    ({ server, by }) =>
      server.publish({ version: "2.0.0", platform: "darwin-x64", bytes: saying("2.0.0"), by }),
    `The release has no ${ARCHIVE}`,
  ],
  ["no latest.json", ({ server }) => server.files.clear(), "latest.json answers 404"],
  [
    "a latest.json of another kind",
    ({ server }) => server.files.set("latest.json", "[]"),
    "names no version",
  ],
  ["a latest.json that is no JSON", ({ server }) => server.files.set("latest.json", "{"), "names no version"],
  [
    "a version that is a path",
    ({ server }) => server.files.set("latest.json", '{"version":"9.0.0/../../x"}'),
    "names no version",
  ],
  [
    "a latest.json without an end",
    ({ server }) => server.files.set("latest.json", " ".repeat(70_000)),
    "is too large",
  ],
  [
    "a redirect to plain HTTP",
    ({ server }) => server.answers.set(ARCHIVE, () => Response.redirect(`${server.url}/other`)),
    "redirects to an address that is no https",
  ],
  [
    "an executable that does not run here",
    ({ publish }) => publish("2.0.0", Buffer.from("\x7fELF")),
    "cannot be run on this machine",
  ],
  [
    "an executable of another version",
    ({ publish }) => publish("2.0.0", saying("1.9.0")),
    "The release of 2.0.0 has an executable of 1.9.0",
  ],
];

function sumsOf({ files }: ReleaseServer): string {
  return String(files.get("SHA256SUMS"));
}

test.each(REFUSED)("a release with %s changes nothing", async (_, spoil, says) => {
  await using place = await setUp();
  spoil(place);
  expect(await place.refusal()).toContain(says);
  expect(await place.seen()).toEqual(UNCHANGED);
});

/** Some bytes, and no end. */
function beginning(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.alloc(1000)) });
}

test("an archive that is cut off changes nothing", async () => {
  await using place = await setUp();
  place.server.answers.set(ARCHIVE, () => new Response(beginning()));
  const broken = place.began.then(() => place.server.stop());
  expect(await place.refusal()).toContain(`${ARCHIVE} was cut off`);
  await broken;
  expect(await place.seen()).toEqual(UNCHANGED);
});

test("an upgrade that is stopped changes nothing", async () => {
  await using place = await setUp();
  place.server.answers.set(ARCHIVE, () => {
    place.stop.abort();
    return new Response(new ReadableStream({}));
  });
  expect(await place.refusal()).toMatch(/cut off|cannot be reached/);
  expect(await place.seen()).toEqual(UNCHANGED);
});

test("one upgrade at a time is at work in a directory", async () => {
  await using place = await setUp();
  {
    using _ = lockDirectory(place.directory);
    expect(await place.refusal()).toContain("Another upgrade is at work");
    expect(place.server.asked).toEqual([]);
  }
  expect(await place.run()).toMatchObject({ to: "2.0.0" });
});

test("a directory that cannot be written to is named, with the reason", () => {
  expect(() => lockDirectory("/nowhere/at/all")).toThrow(
    "The executable cannot be replaced: /nowhere/at/all is not there any more.",
  );
});

describe("which executables are upgraded here", () => {
  test.each([
    ["/usr/bin/coffer", "linux-x64", /\.deb or \.rpm/],
    ["/usr/lib/node_modules/coffer-linux-x64/coffer", "linux-x64", /^npm .* npm install --global/],
    ["/opt/homebrew/Cellar/coffer/1.0.0/bin/coffer", "darwin-arm64", /brew upgrade coffer/],
    ["/home/linuxbrew/.linuxbrew/bin/coffer", "linux-x64", /brew upgrade coffer/],
    ["C:\\Users\\a\\scoop\\apps\\coffer\\current\\coffer.exe", "windows-x64", /scoop update coffer/],
    ["C:\\Tools\\coffer.exe", "windows-x64", /^On Windows/],
    ["/nix/store/abc-coffer/bin/coffer", "linux-x64", /A package/],
    ["/home/me/coffer/dist/coffer", null, /no part of a release/],
  ])("%s of %p is not", (path, platform, says) => {
    expect(otherWay({ path, platform })).toMatch(says);
  });

  test.each(["/usr/local/bin/coffer", "/opt/coffer/coffer", "/home/me/bin/coffer"])("%s is", (path) => {
    expect(otherWay({ path, platform: "linux-x64" })).toBeNull();
  });
});

test("versions are compared by their numbers, and one before a release is older", () => {
  expect(isNewer("0.10.0", "0.9.0")).toBe(true);
  expect(isNewer("1.0.0", "1.0.0-rc.2")).toBe(true);
  expect(isNewer("1.0.0-rc.10", "1.0.0-rc.9")).toBe(true);
  expect(isNewer("1.0.0", "1.0.0")).toBe(false);
});

test("a key is one line of minisign, and nothing else", () => {
  const { key } = new Publisher();
  expect(parseReleaseKey(key)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    point: expect.stringMatching(/^[\w-]{43}$/),
  });
  for (const text of ["", `${key}\n`, key.slice(1), `AA${key.slice(2)}`, `untrusted comment: a key\n${key}`])
    expect(parseReleaseKey(text)).toBeNull();
});
