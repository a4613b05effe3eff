import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Platform } from "./platforms.ts";
import runtimes from "./runtimes.json";

/** The hash of each Bun in the registry, as npm writes it: what differs from it is not used. */
const INTEGRITY: Readonly<Record<string, string>> = runtimes.integrity;

/**
 * The path of the Bun of a platform, in the version that is running now. It comes from npm, through npm's cache, and is
 * left in the directory `cache`. Throws Error if it is not the one that `runtimes.json` names.
 */
export async function runtimeOf({ bun, os }: Platform, cache: string): Promise<string> {
  if (runtimes.version !== Bun.version)
    throw new Error(`runtimes.json is of Bun ${runtimes.version}, and this is ${Bun.version}.`);
  const wanted = INTEGRITY[bun];
  if (wanted === undefined) throw new Error(`runtimes.json does not name @oven/${bun}.`);
  // Its name says what it holds, so one of another version is never taken for it.
  const place = join(cache, `${bun}-${Bun.version}`);
  const executable = join(place, "package/bin", os === "win32" ? "bun.exe" : "bun");
  if (await Bun.file(executable).exists()) return executable;

  const fresh = `${place}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  await Bun.$`npm pack --silent --pack-destination ${fresh} @oven/${bun}@${Bun.version}`.quiet();
  const archive = join(fresh, `oven-${bun}-${Bun.version}.tgz`);
  const found = `sha512-${new Bun.CryptoHasher("sha512").update(await Bun.file(archive).bytes()).digest("base64")}`;
  if (found !== wanted) throw new Error(`@oven/${bun} of the registry is ${found}, and should be ${wanted}.`);
  await Bun.$`tar -xzf ${archive} -C ${fresh}`.quiet();
  await rm(archive);
  await mkdir(dirname(place), { recursive: true });
  await rename(fresh, place);
  return executable;
}
