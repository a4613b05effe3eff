import { nearest } from "../domain/nearest.ts";
import type { GivenSetting } from "../domain/upkeep/settings.ts";
import { fieldOf, nameOf, type Setting, variableOf } from "./setting.ts";
import { SETTINGS } from "./settings.ts";
import { Problem } from "./values.ts";

const PREFIX = "COFFER_";
const SHOWN_CHARACTERS = 60;

/** Texts by the names of flags, or of variables. */
export type Texts = Readonly<Record<string, string | undefined>>;

/** Reads single settings from flags and environment, and collects what is wrong with them in `problems`. */
export class Reader {
  /** One sentence each. */
  readonly problems: string[] = [];
  readonly #flags: Texts;
  readonly #env: Texts;

  constructor(flags: Texts, env: Texts) {
    this.#flags = flags;
    this.#env = env;
  }

  /** What is given; null if nothing is. A flag may be given and empty. */
  textOf(setting: Pick<Setting<unknown>, "flag">): string | null {
    return this.#flags[nameOf(setting)] ?? (this.#env[variableOf(setting)] || null);
  }

  /** What a variable of another name is set to; null if it is not. */
  variable(name: string): string | null {
    return this.#env[name] || null;
  }

  /** The value; the default if it is not given, or wrong. If wrong, adds a problem. */
  read<T>(setting: Setting<T>): T {
    const text = this.textOf(setting);
    if (text === null) return defaultOf(setting);
    const value = text === "" ? new Problem("must not be empty") : setting.parse(text);
    if (!(value instanceof Problem)) return value;
    const isFlag = this.#flags[nameOf(setting)] !== undefined;
    const source = isFlag ? `--${nameOf(setting)}` : variableOf(setting);
    const shown = setting.sensitive !== undefined || text === "" ? "" : ` (${quoted(text)})`;
    this.problems.push(`${source}${shown} ${value.text}.`);
    return defaultOf(setting);
  }

  /** How a setting was given. */
  describe(setting: Setting<unknown>): GivenSetting {
    const isFlag = this.#flags[nameOf(setting)] !== undefined;
    const text = this.textOf(setting);
    const isSecret = setting.sensitive === "secret";
    return {
      name: fieldOf(setting),
      flag: nameOf(setting),
      variable: variableOf(setting),
      help: setting.help,
      fallback: setting.fallback,
      source: isFlag ? "flag" : text === null ? "default" : "environment",
      text: isSecret ? null : text,
      isSecret,
      isChangeable: setting.changeable === true,
    };
  }

  /** Adds a problem for every flag and every `COFFER_*` variable that is not a setting. */
  reportUnknown(): void {
    const names = Object.values(SETTINGS).map(nameOf);
    for (const flag of Object.keys(this.#flags)) {
      if (!names.includes(flag)) this.#reportUnknown("--", flag, names);
    }
    const variables = Object.values(SETTINGS).map(variableOf);
    const unknown = Object.keys(this.#env).filter(
      (name) => name.startsWith(PREFIX) && !variables.includes(name),
    );
    const suffixes = variables.map((name) => name.slice(PREFIX.length));
    for (const variable of unknown) this.#reportUnknown(PREFIX, variable.slice(PREFIX.length), suffixes);
    // Kubernetes gives every pod variables for every service, named after the service.
    if (unknown.includes("COFFER_SERVICE_HOST")) {
      this.problems.push(
        "Kubernetes sets COFFER_PORT and COFFER_SERVICE_* for a service named coffer: " +
          "put enableServiceLinks: false in the pod's specification, or name the service differently.",
      );
    }
  }

  #reportUnknown(prefix: string, name: string, known: readonly string[]): void {
    const meant = nearest(name, known);
    const hint = meant === null ? "" : ` Did you mean ${prefix}${meant}?`;
    this.problems.push(`${prefix}${name} is not a setting.${hint}`);
  }
}

function defaultOf<T>({ absent, fallback, parse, flag }: Setting<T>): T {
  if (absent !== undefined) return absent;
  const value = parse(fallback);
  if (value instanceof Problem) throw new Error(`the default of ${flag} ${value.text}`);
  return value;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text);
}
