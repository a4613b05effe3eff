import { expect, test } from "bun:test";
import { join } from "node:path";
import { writeDeb } from "../../src/release/deb.ts";
import { linuxVersion } from "../../src/release/linux-version.ts";
import { writeNpmLauncher, writeNpmPackage } from "../../src/release/npm.ts";
import { type Platform, PLATFORMS } from "../../src/release/platforms.ts";
import { writeRpm } from "../../src/release/rpm.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const CANDIDATE = {
  version: "1.2.0-rc.1",
  seconds: 1_795_939_200,
  texts: [{ name: "LICENSE", bytes: Buffer.from("MIT") }],
};

function platform(name: string): Platform {
  const found = PLATFORMS.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no platform ${name}.`);
  return found;
}

/** A stand-in for an executable, as packages look into none. */
async function executableIn(directory: string, name: string) {
  const path = join(directory, "coffer");
  await Bun.write(path, "an executable");
  return { platform: platform(name), path };
}

/** The description of a package of npm. */
function manifestOf(path: string): Promise<unknown> {
  return Bun.$`tar -xOzf ${path} package/package.json`.json();
}

test("the version of packages is that of the release, with a tilde before what comes before it", () => {
  expect(["0.1.0", "0.1.0-rc.1", "1.0.0-rc.2"].map(linuxVersion)).toEqual([
    "0.1.0",
    "0.1.0~rc.1",
    "1.0.0~rc.2",
  ]);
});

test.skipIf(Bun.which("dpkg-deb") === null)(
  "to Debian a candidate is older than the release, and its file has the name of the release",
  async () => {
    await using place = await temporaryDirectory();
    const executable = await executableIn(place.path, "linux-arm64");
    const path = await writeDeb(place.path, executable, CANDIDATE);
    expect(path).toBe(join(place.path, "coffer_1.2.0-rc.1_arm64.deb"));
    const version = (await Bun.$`dpkg-deb --field ${path} Version`.text()).trim();
    expect(version).toBe("1.2.0~rc.1");
    for (const newer of ["1.2.0~rc.2", "1.2.0"])
      expect((await Bun.$`dpkg --compare-versions ${version} lt ${newer}`.nothrow()).exitCode).toBe(0);
  },
);

test.skipIf(Bun.which("rpmbuild") === null)(
  "to RPM a candidate is older than the release, and its file has the name of the release",
  async () => {
    await using place = await temporaryDirectory();
    const executable = await executableIn(place.path, "linux-x64-baseline");
    const path = await writeRpm(place.path, executable, CANDIDATE);
    expect(path).toBe(join(place.path, "coffer-1.2.0-rc.1-1.x86_64.rpm"));
    const version = await Bun.$`rpm --query --package --queryformat ${"%{VERSION}"} ${path}`.text();
    expect(version).toBe("1.2.0~rc.1");
    for (const newer of ["1.2.0~rc.2", "1.2.0"]) {
      const compared = await Bun.$`rpm --eval ${`%{lua:print(rpm.vercmp("${version}", "${newer}"))}`}`.text();
      expect(compared.trim()).toBe("-1");
    }
  },
);

test("the launcher of npm wants the packages of its own version, and each is for one system", async () => {
  await using place = await temporaryDirectory();
  const executable = await executableIn(place.path, "linux-arm64-musl");
  const path = await writeNpmPackage(place.path, executable, CANDIDATE);
  expect(path).toBe(join(place.path, "coffer-linux-arm64-musl-1.2.0-rc.1.tgz"));
  expect(await manifestOf(path)).toMatchObject({ os: ["linux"], cpu: ["arm64"], libc: ["musl"] });
  expect(await Bun.$`tar -xOzf ${path} package/bin/coffer`.text()).toBe("an executable");

  const wanted = [platform("linux-arm64-musl"), platform("linux-x64"), platform("linux-x64-baseline")];
  const launcher = await manifestOf(await writeNpmLauncher(place.path, wanted, CANDIDATE));
  expect(launcher).toMatchObject({
    name: "coffer",
    version: "1.2.0-rc.1",
    optionalDependencies: { "coffer-linux-arm64-musl": "1.2.0-rc.1", "coffer-linux-x64": "1.2.0-rc.1" },
  });
  const withAvx2 = { ...executable, platform: platform("linux-x64") };
  expect(writeNpmPackage(place.path, withAvx2, CANDIDATE)).rejects.toThrow("no package for linux-x64");
});
