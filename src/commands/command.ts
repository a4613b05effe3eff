import { type Config, loadConfig } from "../config.ts";
import { NEEDED, requireOpenFiles } from "../process/descriptors.ts";

/** What a command may use of the process that it runs in. */
export interface Terminal {
  /** Writes a line to standard output. */
  out(line: string): void;
  /** Writes a line to standard error. */
  err(line: string): void;
  /** Shows how far work has come, in place of what was shown before; only if standard error is a terminal. */
  progress(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /**
   * From now on drops lines to standard output once 1 MiB of them is unread. When lines are read again, `report` is
   * called with the number of dropped lines, and may write a line about them.
   */
  dropUnread(report: (lines: number) => void): void;
  /** Asks for a secret without showing it. Throws CommandError without a terminal. */
  askSecret(question: string): Promise<string>;
  /** Everything on standard input. */
  readInput(): Promise<string>;
  /** Writes bytes to standard output, and resolves when the reader has taken them. Not together with `out`. */
  outBytes(bytes: Uint8Array): Promise<void>;
  /** Standard input, as it arrives. */
  inputBytes(): AsyncIterable<Uint8Array>;
  /** Resolves with the name of the first signal to stop. */
  stopRequest(): Promise<string>;
  /** Calls `report` for each signal that would end the process unsaid although nobody means that; it goes on. */
  ignoreOtherSignals(report: (signal: string) => void): void;
  /**
   * Resolves when every line has been written, or cannot be. After `dropUnread`, a reader that reads nothing
   * delays it by at most a second.
   */
  finish(): Promise<void>;
}

export interface Command {
  /** As it is typed: `user create`. */
  readonly name: string;
  /** What follows the name in its usage line. */
  readonly usage: string;
  /** One sentence without the full stop. */
  readonly summary: string;
  /** Whether only the server starts it; the overview leaves it out. */
  readonly isInternal?: true;
  /** More for its `--help`, ends without a line break. */
  readonly help: () => string;
  /** Throws CommandError, CofferError, or an unexpected error. */
  run(args: readonly string[], terminal: Terminal): Promise<void>;
}

/** A failure that the operator can fix. Its message is one clear line, or one line for each problem. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, { exitCode = 1, ...options }: ErrorOptions & { exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** Names of options: those with a value and those without. */
export interface OptionNames {
  readonly values: readonly string[];
  readonly switches: readonly string[];
  /** Whether positional arguments are allowed; the command checks how many. */
  readonly positionals?: true;
}

/** The arguments of a command: options by name, and positional ones. */
export interface Arguments {
  readonly values: Readonly<Record<string, string>>;
  readonly switches: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

/** Reads a command's arguments. Throws CommandError for unknown ones. */
export function readArguments(args: readonly string[], names: OptionNames): Arguments {
  const options = Object.fromEntries([
    ...names.values.map((name) => [name, { type: "string" as const }] as const),
    ...names.switches.map((name) => [name, { type: "boolean" as const }] as const),
  ]);
  try {
    // Imported, the whole module would be evaluated at each start, which takes some milliseconds.
    const parsed = process.getBuiltinModule("node:util").parseArgs({
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

/**
 * Reads the configuration; throws CommandError with one line for each problem. For whoever opens what it names: throws
 * as `requireOpenFiles`.
 */
export function requireConfig(flags: Readonly<Record<string, string>>, terminal: Terminal): Config {
  requireOpenFiles(NEEDED.command);
  const result = loadConfig({ flags, isTerminal: terminal.isTerminal });
  if (!result.ok)
    throw new CommandError(`The configuration has problems:\n  ${result.problems.join("\n  ")}`);
  return result.config;
}
