import { type Appliance, openAppliance } from "../appliance.ts";
import { systemClock } from "../process/clock.ts";
import { settingsHelp } from "../config/help.ts";
import { notifyAddress, takePassing } from "../config.ts";
import { SETTINGS } from "../config/settings.ts";
import { recordAddress } from "../data-directory/address-file.ts";
import { pathsIn } from "../data-directory/data-directory.ts";
import { messageOf } from "../domain/errors.ts";
import { NEEDED, requireOpenFiles } from "../process/descriptors.ts";
import { createLog } from "../process/log.ts";
import { ServiceManager } from "../process/service-manager.ts";
import { ignoreOtherSignals, stopRequest } from "../process/signals.ts";
import { passedSockets } from "../process/sockets/passed-sockets.ts";
import { VERSION } from "../process/version.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";
import { DIRECTORY_GONE } from "./exit-codes.ts";

/** How long running requests may take to finish after a signal, in milliseconds. */
const DRAIN_MS = 10_000;
/** The same without a data directory: what writes is refused at once, what reads would be cut off anyway. */
const LOST_DRAIN_MS = 1000;

/** Only flags, no settings and no variables: they override a protection of the data, so they must be typed. */
const PROTECTIONS = `  --adopt-empty
      Start even if the database is missing or does not belong to the contents. Contents that it does not
      know are kept but not used. For when there is no backup of the database
  --forget-disks
      Start although a disk of this store is no longer in COFFER_BLOBS, was replaced by an empty one, or is used
      by another data directory: what is on no other disk is then missing. For when a disk is gone for good, or
      it or the data directory is at another path now
  --upgrade-without-copy
      Upgrade the database of an older version without the copy that is the way back. For when there is no
      room for it, and a backup`;

export const serve: Command = {
  name: "serve",
  flags: [
    "--adopt-empty",
    "--forget-disks",
    "--upgrade-without-copy",
    ...Object.values(SETTINGS).map(({ flag }) => flag),
  ],
  summary: "Serve the drive; the default command",
  get help() {
    return `${PROTECTIONS}\n${settingsHelp()}`;
  },
  async run({ values, switches }, terminal) {
    requireOpenFiles(NEEDED.server);
    const config = requireConfig(values, terminal);
    const log = createLog({ format: config.logFormat, clock: systemClock, write: terminal.out });
    terminal.dropUnread((lines) => {
      log.warn("log lines were dropped: they were not read, or could not be written", { lines });
    });
    const stopped = stopRequest();
    ignoreOtherSignals((signal) => log.warn("a signal is ignored", { signal }));
    const manager = new ServiceManager(notifyAddress());
    const redirects = config.tls !== null && config.tls.redirectPort !== null;
    const sockets = passedSockets(takePassing(), redirects);
    const appliance = await openAppliance({
      config,
      sockets,
      clock: systemClock,
      log,
      adoptEmpty: switches.has("adopt-empty"),
      forgetDisks: switches.has("forget-disks"),
      upgradeWithoutCopy: switches.has("upgrade-without-copy"),
      // From source, the runtime needs the entry point.
      program: Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main],
    });
    recordAddress(pathsIn(config.dataDir), sockets?.main ?? null, log);
    // It has started: what is done often is compiled from now on.
    Bun.unsafe.setJITPolicy(1);
    const ready = { version: VERSION, url: appliance.baseUrl, data_dir: config.dataDir };
    const next = nextSteps(appliance);
    if (config.logFormat === "pretty") {
      log.info("coffer is ready", ready);
      terminal.out(next.map((step) => `  ${step}`).join("\n"));
    } else {
      log.info("coffer is ready", { ...ready, addresses: appliance.addresses, next });
    }
    // Not on standard output, which goes to logs: the link is a secret.
    const first = firstSteps(appliance);
    if (first !== null) terminal.err(first);
    manager.ready(appliance.requireAlive);
    const signal = await Promise.race([stopped, appliance.gone]);
    manager.stopping();
    const isGone = signal === undefined;
    if (!isGone) log.info("stopping", { signal });
    await appliance.close(isGone ? LOST_DRAIN_MS : DRAIN_MS).catch((cause: unknown) => {
      throw new CommandError(messageOf(cause), { cause, exitCode: isGone ? DIRECTORY_GONE : 1 });
    });
    log.info("stopped");
  },
};

type Addresses = Pick<Appliance, "baseUrl" | "addresses">;

/** What to do with a server that has just started; one sentence each. */
export function nextSteps({ baseUrl, addresses }: Addresses): string[] {
  return [
    `Agents: curl ${baseUrl}/v0/drives/provision -d '{"name": "my drive"}'`,
    `People: ${baseUrl} is the dashboard, ${baseUrl}/docs the description of the API`,
    ...addresses.map((address) => `From other machines: ${address}`),
  ];
}

/** How to create the administrator account: the setup link at each address. Null if there is an administrator. */
export function firstSteps({
  baseUrl,
  addresses,
  setupLink,
}: Addresses & Pick<Appliance, "setupLink">): string | null {
  if (setupLink === null) return null;
  const target = setupLink.slice(baseUrl.length);
  const links = [baseUrl, ...addresses].map((address) => `  ${address}${target}`);
  return `There is no administrator yet. Create the administrator account at\n\n${links.join("\n")}\n\nThe link works once; each start prints a new one until there is an administrator.`;
}
