import { mkdir, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type BuildSource, buildSource } from "../build-source.ts";
import { VERSION } from "../process/version.ts";
import { type Entry, writeArchives } from "./archives.ts";
import { writeDeb } from "./deb.ts";
import { buildExecutable, type Executable } from "./executables.ts";
import { type Download, homebrewFormula, scoopManifest } from "./manifests.ts";
import { publicKeyOf, readSecretKey, type SecretKey, signatureOf } from "./minisign.ts";
import { packageName, type PackageParts, writeNpmLauncher, writeNpmPackage } from "./npm.ts";
import { PACKAGED } from "./package-tree.ts";
import { fileName, type Platform, PLATFORMS } from "./platforms.ts";
import { writeRpm } from "./rpm.ts";
import { billOfMaterials } from "./sbom.ts";

const ROOT = resolve(import.meta.dir, "../..");

/** What to release, and where to. */
export interface ReleaseOptions {
  /** Where the files go: it is emptied first. */
  readonly directory: string;
  readonly source: BuildSource;
  /** Where the files will be for others, such as `https://example.com/download`. */
  readonly url: string;
  /** The file of a secret key of minisign, to sign the sums with. The executables then trust its public key. */
  readonly key?: string | undefined;
  /** The platforms; all of them if left out. Without all there are no manifests. */
  readonly only?: readonly string[] | undefined;
  /** Told of each file, by its path, as soon as it is there. */
  readonly report?: (path: string) => void;
}

/** Makes all files of a release. Throws Error if one cannot be made, or if there is no such platform. */
export async function release(options: ReleaseOptions): Promise<void> {
  const { directory, source, only, report = () => {} } = options;
  const platforms = platformsOf(only);
  for (const tool of ["dpkg-deb", "rpmbuild"])
    if (Bun.which(tool) === null) throw new Error(`The packages need ${tool}, of Debian's dpkg and rpm.`);
  const secret = options.key === undefined ? null : readSecretKey(await Bun.file(options.key).text());
  const key = secret === null ? null : publicKeyOf(secret);
  const work = join(directory, "work");
  await rm(directory, { recursive: true, force: true });
  await mkdir(work, { recursive: true });
  const parts = { version: VERSION, seconds: source.seconds, texts: await textsOf() };
  const files: string[] = [];
  const add = (paths: readonly string[]) => {
    files.push(...paths);
    for (const path of paths) report(path);
  };

  const made = { directory: work, cache: join(ROOT, "node_modules/.cache/release"), source, key };
  // To build takes one processor: the files of the executable before are made meanwhile.
  let before = Promise.resolve<string[]>([]);
  for (const platform of platforms) {
    const [executable, paths] = await Promise.all([buildExecutable(platform, made), before]);
    add(paths);
    before = filesOf(directory, executable, parts);
  }
  add(await before);
  add([await writeNpmLauncher(directory, platforms, parts)]);
  add([await writeSbom(directory, parts), await writeLatest(directory)]);
  if (only === undefined) add(await writeManifests(options));
  await writeSums(directory, files, secret);
  await rm(work, { recursive: true });
}

/** Makes all that has an executable in it, side by side: each is mostly a compressor on one processor. */
async function filesOf(directory: string, executable: Executable, parts: PackageParts): Promise<string[]> {
  const { platform } = executable;
  const isPackaged = PACKAGED.includes(platform.name);
  const packages = [
    ...(packageName(platform) === null ? [] : [writeNpmPackage]),
    ...(isPackaged ? [writeDeb, writeRpm] : []),
  ];
  const [archives, ...packaged] = await Promise.all([
    archive(directory, executable, parts),
    ...packages.map((write) => write(directory, executable, parts)),
  ]);
  return [...archives, ...packaged];
}

function platformsOf(only: readonly string[] | undefined): readonly Platform[] {
  const unknown = only?.filter((wanted) => !PLATFORMS.some(({ name }) => name === wanted)) ?? [];
  if (unknown.length > 0) throw new Error(`There is no platform ${unknown.join(" and no ")}.`);
  return PLATFORMS.filter(({ name }) => only?.includes(name) ?? true);
}

/** What every archive and package has beside the executable. */
function textsOf(): Promise<Entry[]> {
  const paths = ["LICENSE", "README.md", ".github/CHANGELOG.md"];
  return Promise.all(
    paths.map(async (path) => ({ name: basename(path), bytes: await Bun.file(join(ROOT, path)).bytes() })),
  );
}

/** What an archive is called, without its ending, and the directory in it. */
function archiveName(platform: string): string {
  return `coffer-${VERSION}-${platform}`;
}

async function archive(
  directory: string,
  { platform, path }: Executable,
  { seconds, texts }: PackageParts,
): Promise<string[]> {
  const own = { name: fileName(platform), bytes: await Bun.file(path).bytes(), isExecutable: true };
  const kind = platform.os === "win32" ? "zip" : "tar";
  return writeArchives(join(directory, archiveName(platform.name)), [own, ...texts], { seconds, kind });
}

async function writeSbom(directory: string, { version, seconds }: PackageParts): Promise<string> {
  const path = join(directory, `coffer-${version}.cdx.json`);
  const sbom = await billOfMaterials({ root: ROOT, version, seconds });
  await Bun.write(path, `${JSON.stringify(sbom, null, 2)}\n`);
  return path;
}

/** What `coffer upgrade` asks for first. */
async function writeLatest(directory: string): Promise<string> {
  const path = join(directory, "latest.json");
  await Bun.write(path, `${JSON.stringify({ version: VERSION })}\n`);
  return path;
}

async function writeManifests({ directory, url }: ReleaseOptions): Promise<string[]> {
  const download = async (platform: string, ending: string): Promise<Download> => {
    const name = `${archiveName(platform)}${ending}`;
    return { url: `${url}/${name}`, sha256: await sha256Of(join(directory, name)) };
  };
  const about = { version: VERSION, homepage: url };
  const formula = homebrewFormula(about, {
    "darwin-arm64": await download("darwin-arm64", ".tar.gz"),
    "darwin-x64": await download("darwin-x64", ".tar.gz"),
    "linux-arm64": await download("linux-arm64", ".tar.gz"),
    "linux-x64-baseline": await download("linux-x64-baseline", ".tar.gz"),
  });
  const windows = "windows-x64";
  const scoop = scoopManifest(about, await download(windows, ".zip"), archiveName(windows));
  const paths = [join(directory, "coffer.rb"), join(directory, "coffer.json")] as const;
  await Bun.write(paths[0], formula);
  await Bun.write(paths[1], `${JSON.stringify(scoop, null, 2)}\n`);
  return [...paths];
}

/** Writes the sums of all files, as `sha256sum` does, and signs them if there is a key. */
async function writeSums(
  directory: string,
  files: readonly string[],
  secret: SecretKey | null,
): Promise<void> {
  const lines = await Promise.all(files.map(async (path) => `${await sha256Of(path)}  ${basename(path)}\n`));
  const sums = Buffer.from(
    lines.toSorted((one, other) => (one.slice(64) < other.slice(64) ? -1 : 1)).join(""),
  );
  const path = join(directory, "SHA256SUMS");
  await Bun.write(path, sums);
  if (secret === null) return;
  // `coffer upgrade` reads the version from the comment: sums of an older release are then not taken for the newest.
  await Bun.write(`${path}.minisig`, signatureOf(sums, secret, `coffer ${VERSION}`));
}

async function sha256Of(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of Bun.file(path).stream()) hash.update(piece);
  return hash.digest("hex");
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      commit: { type: "string" },
      epoch: { type: "string" },
      key: { type: "string" },
      only: { type: "string" },
      url: { type: "string", default: "https://example.com/coffer" },
      directory: { type: "string", default: join(ROOT, "dist/release") },
    },
  });
  const { commit, epoch, only, ...rest } = values;
  const source = await buildSource({ commit, epoch });
  if (source === null) throw new Error("Outside of a checkout of git, give --commit and --epoch.");
  await release({
    ...rest,
    source,
    only: only?.split(","),
    report: (path) => process.stdout.write(`${basename(path)}  ${Bun.file(path).size}\n`),
  });
}
