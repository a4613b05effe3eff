import { openAppliance } from "../appliance.ts";
import { systemClock } from "../clock.ts";
import { settingsHelp } from "../config/describe.ts";
import { SETTINGS } from "../config/settings.ts";
import { createLog } from "../log.ts";
import { VERSION } from "../version.ts";
import { type Command, readArguments, requireConfig } from "./command.ts";

/** How long requests in flight may take to finish after a signal, in milliseconds. */
const DRAIN_MS = 10_000;

export const serve: Command = {
  name: "serve",
  usage: "[FLAGS]",
  summary: "Serve the drive; the default command",
  help: settingsHelp,
  async run(args, terminal) {
    const flags = Object.values(SETTINGS).map((setting) => setting.name);
    const { values } = readArguments(args, { values: flags, switches: [] });
    const config = requireConfig(values, terminal);
    const log = createLog({
      format: config.logFormat,
      clock: systemClock,
      write: (line) => terminal.out(line),
    });
    const stopRequest = terminal.stopRequest();
    const appliance = await openAppliance({ config, clock: systemClock, log });
    const ready = { version: VERSION, url: appliance.baseUrl, data_dir: config.dataDir };
    if (config.logFormat === "pretty") {
      log.info("coffer is ready", ready);
      terminal.out(
        nextSteps(appliance.baseUrl)
          .map((step) => `  ${step}`)
          .join("\n"),
      );
    } else {
      log.info("coffer is ready", { ...ready, next: nextSteps(appliance.baseUrl) });
    }
    // Not on standard output, which logs are made of: the link is a secret.
    if (appliance.setupLink !== null) terminal.err(firstSteps(appliance.setupLink));
    log.info("stopping", { signal: await stopRequest });
    await appliance.close(DRAIN_MS);
    log.info("stopped");
  },
};

function firstSteps(setupLink: string): string {
  return `There is no account yet. Make the first one at\n\n  ${setupLink}\n\nThe link works once; each start prints a new one until there is an account.`;
}

/** What to do with a server that has just started. */
function nextSteps(baseUrl: string): string[] {
  return [
    `Agents: curl ${baseUrl}/v0/drives/provision -d '{"name": "my drive"}'`,
    `People: ${baseUrl} is the dashboard, ${baseUrl}/docs the description of the API`,
  ];
}
