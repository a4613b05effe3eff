import { resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");

/** What is built. */
export interface BuildSource {
  /** The start of the commit's hash; with `-dirty` if files differ from it. */
  readonly commit: string;
  /** When it was made, in seconds since 1970: whatever of a build has a time has this one, so that builds repeat. */
  readonly seconds: number;
}

/** What is known of it already; empty texts say nothing. `--commit`, and `--epoch`, which is the SOURCE_DATE_EPOCH of reproducible builds. */
export interface KnownSource {
  readonly commit?: string | undefined;
  readonly epoch?: string | undefined;
}

/** What is known, and the rest from the commit that is checked out. Null if there is none. */
export async function buildSource({ commit, epoch }: KnownSource): Promise<BuildSource | null> {
  const name = commit || (await git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"));
  const seconds = epoch || (await git("log", "-1", "--format=%ct"));
  if (name === null || seconds === null) return null;
  if (!/^\d{1,11}$/.test(seconds)) throw new Error(`--epoch must be seconds since 1970, not "${seconds}".`);
  return { commit: name, seconds: Number(seconds) };
}

/** What git prints; null without git, or outside of a checkout. */
async function git(...args: readonly string[]): Promise<string | null> {
  const { exitCode, stdout } = await Bun.$`git -C ${ROOT} ${args}`.quiet().nothrow();
  return exitCode === 0 ? stdout.toString().trim() : null;
}
