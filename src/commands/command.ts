import type { parseArgs, ParseArgsConfig } from "node:util";
import { type Config, loadConfig } from "../config.ts";
import { NEEDED, requireOpenFiles } from "../process/descriptors.ts";
import type { Terminal } from "./terminal.ts";

export interface Command {
  /** As it is typed: `user create`. */
  readonly name: string;
  /** The arguments that are no flags, by the names that its help has for them; `[DEST]` may be left out. */
  readonly positionals?: readonly string[];
  /** Its flags, with a placeholder if they have a value: `--quick`, `--data-dir PATH`. */
  readonly flags?: readonly string[];
  /** One sentence without the full stop. */
  readonly summary: string;
  /** Whether only the server starts it; the overview leaves it out. */
  readonly isInternal?: true;
  /** The exit code of a failure that says none; 1 if left out. */
  readonly failureCode?: number;
  /** More for its `--help`, ends without a line break. */
  readonly help: string;
  /** Throws CommandError, CofferError, or an unexpected error. */
  run(args: Arguments, terminal: Terminal): Promise<void>;
}

/** A failure that the operator can fix. Its message is one clear line, or one line for each problem. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** Without one, that of the command. */
  readonly exitCode: number | undefined;

  constructor(message: string, { exitCode, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export type Arguments = ReturnType<typeof readArguments>;

/** Reads a command's arguments. Throws CommandError for those that it does not have. */
export function readArguments({ positionals = [], flags = [] }: Command, args: readonly string[]) {
  const options = flags.map((flag) => {
    const [name = "", placeholder] = flag.slice(2).split(" ");
    return [name, { type: placeholder === undefined ? "boolean" : "string" }] as const;
  });
  const parsed = parse({
    args: [...args],
    options: Object.fromEntries(options),
    allowPositionals: positionals.length > 0,
  });
  const count = parsed.positionals.length;
  const least = positionals.filter((name) => !name.startsWith("[")).length;
  if (count < least || count > positionals.length) {
    const names = positionals.map((name) => name.replaceAll(/[[\]]/g, "")).join(" and one ");
    throw new CommandError(`Give ${least === 0 ? "one" : "exactly one"} ${names}.`);
  }
  const given = Object.entries(parsed.values);
  return {
    /** The values of flags, by their names without dashes. */
    values: Object.fromEntries(
      given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
    ),
    /** The names of the flags without a value that are given. */
    switches: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
    positionals: parsed.positionals,
  };
}

function parse(config: ParseArgsConfig & { args: string[] }): ReturnType<typeof parseArgs> {
  // The module takes a start most of a millisecond.
  if (config.args.length === 0) return { values: {}, positionals: [] };
  try {
    return process.getBuiltinModule("node:util").parseArgs(config);
  } catch (error) {
    throw new CommandError(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
  }
}

/** Reads the configuration. Throws CommandError, with a line for each problem, or as `requireOpenFiles`. */
export function requireConfig(flags: Readonly<Record<string, string>>, { isTerminal }: Terminal): Config {
  requireOpenFiles(NEEDED.command);
  const result = loadConfig({ flags, isTerminal });
  if (!result.ok)
    throw new CommandError(`The configuration has problems:\n  ${result.problems.join("\n  ")}`);
  return result.config;
}
