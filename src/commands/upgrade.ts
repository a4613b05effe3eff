import type { Config } from "../config.ts";
import { UPGRADE_SETTINGS } from "../config/upgrade-settings.ts";
import { variableOf } from "../config/setting.ts";
import { parseReleaseKey, type ReleaseKey } from "../domain/upkeep/release-key.ts";
import { stopRequest } from "../process/signals.ts";
import { RELEASED, VERSION } from "../process/version.ts";
import type { Executable } from "../upgrade/installation.ts";
import type { ReleasePlace } from "../upgrade/release-place.ts";
import type { Upgraded, UpgradeOptions } from "../upgrade/upgrade.ts";
import { type Arguments, type Command, CommandError, requireConfig } from "./command.ts";
import type { Terminal } from "./terminal.ts";

/** The exit code of a check that has found a newer version. */
const NEWER = 100;
const MIB = 1_048_576;

const { upgradeUrl, upgradeKey } = UPGRADE_SETTINGS;

export const upgrade: Command = {
  name: "upgrade",
  flags: ["--check", "--json", "--without-signature", upgradeUrl.flag, upgradeKey.flag],
  summary:
    "Replace this executable by that of the newest release; a running server goes on until its restart",
  help: `  --check               Only say whether there is a newer version.
  --json                With --check: print it as one line of JSON.
  --without-signature   Install a release although no key is known that it must be signed with. Whoever can change
                        the files at the address, or the name that leads there, then has this machine run what
                        they like.
  ${upgradeUrl.flag}     Where the files of the newest release are, with latest.json among them; or
                        COFFER_UPGRADE_URL. Without it nothing is asked.
  ${upgradeKey.flag}    The public key of minisign that the release must be signed with; or COFFER_UPGRADE_KEY.
                        Without it, the one that this executable was released with.

The server at the address is told nothing of this machine or its version. Executables that a package has installed are
upgraded with their package.

Exit code: 0 if it was upgraded, or is the newest; with --check ${NEWER} if there is a newer one; else 1.`,
  async run(args, terminal) {
    const { switches } = args;
    const isCheck = switches.has("check");
    if (switches.has("json") && !isCheck) throw new CommandError("--json needs --check.");
    if (isCheck && switches.has("without-signature"))
      throw new CommandError("A check installs nothing: leave --without-signature out.");
    const config = requireConfig(args.values, terminal);
    const stop = new AbortController();
    void stopRequest().then(() => stop.abort());
    const place = await placeOf(config, stop.signal);
    if (isCheck) return check(place, switches.has("json"), terminal);
    const options = await optionsOf(args, config, terminal);
    const { upgrade: replace } = await import("../upgrade/upgrade.ts");
    try {
      report(await replace({ ...options, place }), options.path, terminal);
    } catch (cause) {
      throw stop.signal.aborted ? new CommandError("It was stopped. Nothing was changed.", { cause }) : cause;
    }
  },
};

async function placeOf({ upgrade: { url } }: Config, signal: AbortSignal): Promise<ReleasePlace> {
  if (url === null)
    throw new CommandError(
      `No address is known. Set ${variableOf(upgradeUrl)}, or give --upgrade-url, to where the files of releases are.`,
    );
  const { ReleasePlace: Place } = await import("../upgrade/release-place.ts");
  return new Place(url, signal);
}

async function check(place: ReleasePlace, isJson: boolean, terminal: Terminal): Promise<void> {
  const { isNewer } = await import("../upgrade/upgrade.ts");
  const newest = await place.newestVersion();
  const newer = isNewer(newest, VERSION);
  if (isJson) terminal.out(JSON.stringify({ version: VERSION, newest, newer }));
  else terminal.out(`This is Coffer ${VERSION}. The newest there is ${newest}.`);
  if (!newer) return;
  const { otherWay } = await import("../upgrade/installation.ts");
  const advice = otherWay(ownExecutable()) ?? "To install it, run coffer upgrade";
  throw new CommandError(`There is a newer version. ${advice}.`, { exitCode: NEWER });
}

/** What the upgrade is made with. Throws CommandError if this executable is not to be replaced, or nothing says by what. */
async function optionsOf(
  { switches }: Arguments,
  { upgrade: { key: given } }: Config,
  terminal: Terminal,
): Promise<Omit<UpgradeOptions, "place">> {
  const { otherWay } = await import("../upgrade/installation.ts");
  const { path, platform } = ownExecutable();
  const advice = otherWay({ path, platform });
  if (advice !== null || platform === null)
    throw new CommandError(`${path} is not upgraded here. ${advice}.`);
  const key = given ?? ownKey();
  const isUnsigned = switches.has("without-signature");
  if (key === null && !isUnsigned)
    throw new CommandError(
      "No key is known that a release must be signed with, so anybody could have made what is at this address. " +
        `Set ${variableOf(upgradeKey)} to the public key of those who make the releases. To trust the address ` +
        "alone, give --without-signature.",
    );
  if (key !== null && isUnsigned)
    throw new CommandError(
      "There is a key that a release must be signed with: leave --without-signature out.",
    );
  if (key === null) terminal.err("Nothing says who has made this release: its signature is not checked.");
  return { path, platform, key, tell: progressOf(terminal) };
}

function ownExecutable(): Executable {
  return { path: process.execPath, platform: RELEASED?.platform ?? null };
}

function ownKey(): ReleaseKey | null {
  const key = RELEASED?.key ?? null;
  return key === null ? null : parseReleaseKey(key);
}

function progressOf(terminal: Terminal): UpgradeOptions["tell"] {
  return (archive, bytes, size) =>
    terminal.progress(`${archive}: ${mib(bytes)}${size === null ? "" : ` of ${mib(size)}`} MiB`);
}

function mib(bytes: number): string {
  return (bytes / MIB).toFixed(1);
}

function report({ from, to, newest, previous }: Upgraded, path: string, { out }: Terminal): void {
  if (from === to) {
    out(`${path} is Coffer ${from}, and the newest there is ${newest}: nothing was changed.`);
    return;
  }
  out(`${path} is Coffer ${to} now. Coffer ${from} is kept as ${previous}.`);
  out(
    `A running server goes on with ${from}. Make a backup, then restart it, such as with: systemctl restart coffer`,
  );
  out(`To go back, stop the server, and run: mv ${previous} ${path}`);
  out(
    "If the new version has upgraded the store by then, the old one refuses it: first put the copy from before the " +
      'upgrade in its place, as the manual says under "Upgrade".',
  );
}
