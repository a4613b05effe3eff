import { nearest } from "../domain/nearest.ts";
import { type RequiredSetting, type Setting, SETTINGS, variableOf } from "./settings.ts";
import { Problem } from "./values.ts";

const PREFIX = "COFFER_";
const SHOWN_CHARACTERS = 60;

type Texts = Readonly<Record<string, string | undefined>>;

/** Reads single settings from flags and environment, and collects what is wrong with them in `problems`. */
export class Reader {
  /** One sentence each. */
  readonly problems: string[] = [];
  readonly #flags: Texts;
  readonly #env: Texts;

  /** `flags` are named without dashes and override `env`. In `env` an empty variable counts as absent. */
  constructor(flags: Texts, env: Texts) {
    this.#flags = flags;
    this.#env = env;
  }

  isGiven(setting: Pick<Setting<unknown>, "name">): boolean {
    return this.#flags[setting.name] !== undefined || (this.#env[variableOf(setting)] ?? "") !== "";
  }

  /** The value; null if it is not given, or wrong. If wrong, adds a problem. */
  optional<T>(setting: Setting<T>): T | null {
    if (!this.isGiven(setting)) return null;
    const flag = this.#flags[setting.name];
    const text = flag ?? this.#env[variableOf(setting)] ?? "";
    const value = text === "" ? new Problem("must not be empty") : setting.parse(text);
    if (!(value instanceof Problem)) return value;
    const source = flag === undefined ? variableOf(setting) : `--${setting.name}`;
    const shown = setting.sensitive === true || text === "" ? "" : ` (${quoted(text)})`;
    this.problems.push(`${source}${shown} ${value.text}.`);
    return null;
  }

  /** The value; the default if it is not given, or wrong. If wrong, adds a problem. */
  required<T>(setting: RequiredSetting<T>): T {
    const value = this.optional(setting) ?? setting.parse(setting.fallback);
    if (value instanceof Problem) throw new Error(`the default of ${setting.name} ${value.text}`);
    return value;
  }

  /** Adds a problem for every flag and every `COFFER_*` variable that is not a setting. */
  reportUnknown(): void {
    const names = Object.values(SETTINGS).map((setting) => setting.name);
    for (const flag of Object.keys(this.#flags)) {
      if (names.includes(flag)) continue;
      const meant = nearest(flag, names);
      this.problems.push(`--${flag} is not a setting.${didYouMean(meant && `--${meant}`)}`);
    }
    const variables = Object.values(SETTINGS).map(variableOf);
    const unknown = Object.keys(this.#env).filter(
      (name) => name.startsWith(PREFIX) && !variables.includes(name),
    );
    for (const variable of unknown) {
      const suffixes = variables.map((name) => name.slice(PREFIX.length));
      const meant = nearest(variable.slice(PREFIX.length), suffixes);
      this.problems.push(`${variable} is not a setting.${didYouMean(meant && `${PREFIX}${meant}`)}`);
    }
    // Kubernetes gives every pod variables for every service, named after the service.
    if (unknown.includes("COFFER_SERVICE_HOST")) {
      this.problems.push(
        "Kubernetes sets COFFER_PORT and COFFER_SERVICE_* for a service named coffer: " +
          "put enableServiceLinks: false in the pod's specification, or name the service differently.",
      );
    }
  }
}

function didYouMean(name: string | null): string {
  return name === null ? "" : ` Did you mean ${name}?`;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}...` : text);
}
