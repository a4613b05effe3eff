import { describeVersion } from "../process/version.ts";
import { audit } from "./audit.ts";
import { keyCreate, userCreate, userList, userResetPassword, userSetPlan } from "./accounts.ts";
import { backup, restore } from "./backup.ts";
import { blobsMigrate } from "./migrate.ts";
import { type Command, CommandError, readArguments, requireConfig } from "./command.ts";
import { drawThumbnail, extractText } from "./own-processes.ts";
import { STORE_TOO_NEW } from "./exit-codes.ts";
import { NewerStore } from "../domain/upkeep/newer-store.ts";
import { doctor } from "./doctor.ts";
import { serve } from "./serve.ts";
import { serviceInstall, servicePrint } from "./service.ts";
import { status } from "./status.ts";
import type { Terminal } from "./terminal.ts";
import { upgrade } from "./upgrade.ts";
import { verify } from "./verify.ts";
import { pathsIn } from "../data-directory/data-directory.ts";
import { localAddress } from "../network/local-address.ts";

const version: Command = {
  name: "version",
  summary: "Print the version, and what it was built from",
  help: "",
  run: async (_, terminal) => terminal.out(`coffer ${describeVersion()}`),
};

const healthcheck: Command = {
  name: "healthcheck",
  summary: "Check whether the server on this machine is ready; for containers",
  help: "  Needs the same environment variables as the server.",
  async run(_, terminal) {
    const config = requireConfig({}, terminal);
    const { whereItListens } = await import("../doctor/running-server.ts");
    const url = `${localAddress(whereItListens(pathsIn(config.dataDir), config))}/readyz`;
    try {
      const signal = AbortSignal.timeout(5000);
      // The certificate is for another name than this address, and nothing that is secret is sent.
      const answer = await fetch(url, { signal, tls: { rejectUnauthorized: false } });
      if (!answer.ok) throw new CommandError(`${url} answers ${answer.status}.`);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`${url} does not answer.`, { cause: error });
    }
  },
};

const COMMANDS: readonly Command[] = [
  serve,
  userCreate,
  userList,
  userResetPassword,
  userSetPlan,
  keyCreate,
  audit,
  backup,
  restore,
  verify,
  blobsMigrate,
  status,
  doctor,
  serviceInstall,
  servicePrint,
  upgrade,
  healthcheck,
  version,
  extractText,
  drawThumbnail,
];

/** Runs the command that the arguments name, `serve` by default. Returns the exit code. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  if (args[0] === "help" || (args[0] === "--help" && args.length === 1)) {
    terminal.out(overview());
    return 0;
  }
  const found = findCommand(args);
  if (found === null) {
    terminal.err(`coffer: there is no command "${args.slice(0, 2).join(" ")}". See "coffer --help".`);
    return 2;
  }
  const { command, rest } = found;
  if (rest.includes("--help")) {
    terminal.out(commandHelp(command));
    return 0;
  }
  // The server starts first; see `build.ts`.
  if (command !== serve) Bun.unsafe.setJITPolicy(1);
  try {
    await command.run(readArguments(command, rest), terminal);
    return 0;
  } catch (error) {
    terminal.err(`coffer: ${error instanceof Error ? error.message : String(error)}`);
    return exitCodeOf(error) ?? command.failureCode ?? (error instanceof NewerStore ? STORE_TOO_NEW : 1);
  }
}

function exitCodeOf(error: unknown): number | undefined {
  return error instanceof CommandError ? error.exitCode : undefined;
}

function findCommand(args: readonly string[]): { command: Command; rest: readonly string[] } | null {
  if (args[0] === undefined || args[0].startsWith("-")) return { command: serve, rest: args };
  for (const command of COMMANDS) {
    const words = command.name.split(" ");
    if (words.every((word, index) => args[index] === word))
      return { command, rest: args.slice(words.length) };
  }
  return null;
}

function overview(): string {
  const shown = COMMANDS.filter(({ isInternal }) => isInternal !== true);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const lines = shown.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Usage: coffer [COMMAND] [FLAGS]\n\n${lines.join("\n")}\n\nSee "coffer COMMAND --help" for its flags.`;
}

function commandHelp(command: Command): string {
  const { name, positionals = [], flags = [], summary, help } = command;
  const ways = command === serve ? ["[FLAGS]"] : [...positionals, ...flags.map((flag) => `[${flag}]`)];
  return `Usage: coffer ${name} ${ways.join(" ")}\n\n${summary}.\n\n${help}`.trimEnd();
}
