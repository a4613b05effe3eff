import { openAppliance } from "../appliance.ts";
import { systemClock } from "../process/clock.ts";
import { nameOf, SETTINGS, settingsHelp } from "../config/settings.ts";
import { NEEDED, requireOpenFiles } from "../process/descriptors.ts";
import { createLog } from "../process/log.ts";
import { VERSION } from "../process/version.ts";
import { firstSteps, nextSteps } from "./first-words.ts";
import { type Command, readArguments, requireConfig } from "./command.ts";

/** How long running requests may take to finish after a signal, in milliseconds. */
const DRAIN_MS = 10_000;

/** Only a flag, no setting and no variable: it overrides a protection of the data, so it must be typed. */
const ADOPT_EMPTY = "adopt-empty";
const ADOPT_HELP = `  --${ADOPT_EMPTY}
      Start even if the database is missing or does not belong to the contents. Contents that it does not
      know are kept but not used. For when there is no backup of the database`;

/** Only a flag, like the other. */
const WITHOUT_COPY = "upgrade-without-copy";
const WITHOUT_COPY_HELP = `  --${WITHOUT_COPY}
      Upgrade the database of an older version without the copy that is the way back. For when there is no
      room for it, and a backup`;

/** How a process starts another one of this program: from source, the runtime needs the entry point. */
function ownProgram(): string[] {
  return Bun.isStandaloneExecutable ? [process.execPath] : [process.execPath, Bun.main];
}

export const serve: Command = {
  name: "serve",
  usage: "[FLAGS]",
  summary: "Serve the drive; the default command",
  help: () => `${ADOPT_HELP}\n${WITHOUT_COPY_HELP}\n${settingsHelp()}`,
  async run(args, terminal) {
    const flags = Object.values(SETTINGS).map(nameOf);
    const { values, switches } = readArguments(args, {
      values: flags,
      switches: [ADOPT_EMPTY, WITHOUT_COPY],
    });
    requireOpenFiles(NEEDED.server);
    const config = requireConfig(values, terminal);
    const log = createLog({
      format: config.logFormat,
      clock: systemClock,
      write: (line) => terminal.out(line),
    });
    terminal.dropUnread((lines) => {
      log.warn("log lines were dropped: they were not read, or could not be written", { lines });
    });
    const stopRequest = terminal.stopRequest();
    terminal.ignoreOtherSignals((signal) => log.warn("a signal is ignored", { signal }));
    const appliance = await openAppliance({
      config,
      clock: systemClock,
      log,
      adoptEmpty: switches.has(ADOPT_EMPTY),
      upgradeWithoutCopy: switches.has(WITHOUT_COPY),
      program: ownProgram(),
    });
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
    log.info("stopping", { signal: await stopRequest });
    await appliance.close(DRAIN_MS);
    log.info("stopped");
  },
};
