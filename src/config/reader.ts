import { nearest } from "./nearest.ts";
import { type RequiredSetting, type Setting, SETTINGS, variableOf } from "./settings.ts";
import { Problem } from "./values.ts";

const PREFIX = "COFFER_";
const SHOWN_CHARACTERS = 60;

type Texts = Readonly<Record<string, string | undefined>>;

/** Reads single settings from flags and environment, and gathers in `problems` all that is wrong with them. */
export class Reader {
  /** One sentence each. */
  readonly problems: string[] = [];
  readonly #flags: Texts;
  readonly #env: Texts;

  /** `flags` are keyed by name without dashes and win over `env`, in which an empty variable counts as absent. */
  constructor(flags: Texts, env: Texts) {
    this.#flags = flags;
    this.#env = env;
  }

  isGiven(setting: Pick<Setting<unknown>, "name">): boolean {
    return this.#flags[setting.name] !== undefined || (this.#env[variableOf(setting)] ?? "") !== "";
  }

  /** The value; null when it is not given, or wrong, which `problems` then says. */
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

  /** The value; the default when it is not given, or wrong, which `problems` then says. */
  required<T>(setting: RequiredSetting<T>): T {
    const value = this.optional(setting) ?? setting.parse(setting.fallback);
    if (value instanceof Problem) throw new Error(`the default of ${setting.name} ${value.text}`);
    return value;
  }

  /** Adds a problem for every flag and every `COFFER_*` variable that is no setting. */
  reportUnknown(): void {
    const names = Object.values(SETTINGS).map((setting) => setting.name);
    for (const flag of Object.keys(this.#flags)) {
      if (names.includes(flag)) continue;
      const meant = nearest(flag, names);
      this.problems.push(`--${flag} is no setting.${didYouMean(meant && `--${meant}`)}`);
    }
    const variables = Object.values(SETTINGS).map(variableOf);
    const unknown = Object.keys(this.#env).filter(
      (name) => name.startsWith(PREFIX) && !variables.includes(name),
    );
    for (const variable of unknown) {
      const suffixes = variables.map((name) => name.slice(PREFIX.length));
      const meant = nearest(variable.slice(PREFIX.length), suffixes);
      this.problems.push(`${variable} is no setting.${didYouMean(meant && `${PREFIX}${meant}`)}`);
    }
    // Kubernetes describes every service to every pod in variables named after the service.
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
