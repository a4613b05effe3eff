import { parseArgs } from "node:util";
import { type Config, loadConfig } from "../config.ts";

/** The process a command runs in, as far as a command may touch it. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(line: string): void;
  /** Writes a line to standard error. */
  err(line: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /**
   * From now on drops lines to standard output that nobody reads, beyond 1 MiB. `report` is called with the
   * number of dropped lines, and may write a line about them, when lines are read again.
   */
  dropUnread(report: (lines: number) => void): void;
  /** Asks for a secret without showing it. Throws CommandError where nobody can be asked. */
  askSecret(question: string): Promise<string>;
  /** Everything on standard input. */
  readInput(): Promise<string>;
  /** Resolves with the name of the first signal that asks the process to end. */
  stopRequest(): Promise<string>;
  /**
   * Resolves when every line has been written, or cannot be. After `dropUnread` it waits for no longer than
   * a second for a reader that takes nothing.
   */
  finish(): Promise<void>;
}

/** One thing the executable can do. */
export interface Command {
  /** How it is called: `user create`. */
  readonly name: string;
  /** What follows the name in its usage line. */
  readonly usage: string;
  /** One sentence without the full stop. */
  readonly summary: string;
  /** More for its `--help`, ends without a line break. */
  readonly help: () => string;
  /** Throws CommandError, CofferError, or whatever went wrong. */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** A failure the operator can mend; its message is one clear line, or one a problem. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Names of options: those with a value and those without. */
export interface OptionNames {
  readonly values: readonly string[];
  readonly switches: readonly string[];
  /** Whether arguments without a name are taken; the command checks how many. */
  readonly positionals?: true;
}

/** What a command was given: options by name, and what stands without one. */
export interface Arguments {
  readonly values: Readonly<Record<string, string>>;
  readonly switches: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** Reads a command's arguments. Throws CommandError for what it does not know. */
export function readArguments(args: readonly string[], names: OptionNames): Arguments {
  const options = Object.fromEntries([
    ...names.values.map((name) => [name, { type: "string" as const }] as const),
    ...names.switches.map((name) => [name, { type: "boolean" as const }] as const),
  ]);
  try {
    const parsed = parseArgs({
      args: [...args],
      options,
      allowPositionals: names.positionals ?? false,
      strict: true,
    });
    const given = Object.entries(parsed.values);
    return {
      values: Object.fromEntries(
        given.flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
      ),
      switches: new Set(given.flatMap(([name, value]) => (value === true ? [name] : []))),
      positionals: parsed.positionals,
    };
  } catch (error) {
    throw new CommandError(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error));
  }
}

/** Reads the configuration; throws CommandError with every problem, a line each. */
export function requireConfig(flags: Readonly<Record<string, string>>, terminal: Terminal): Config {
  const result = loadConfig({ flags, isTerminal: terminal.isTerminal });
  if (!result.ok)
    throw new CommandError(`The configuration has problems:\n  ${result.problems.join("\n  ")}`);
  return result.config;
}
