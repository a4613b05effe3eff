import type { Plan } from "../../domain/accounts/roles.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import {
  type GivenSetting,
  isGiven,
  type ReadSettings,
  type SettingSource,
} from "../../domain/upkeep/settings.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";

/** A setting as it is now. */
export interface SettingView extends Omit<GivenSetting, "source" | "text"> {
  readonly source: SettingSource;
  /** As its flag takes it; null for a secret, and for one without a value. */
  readonly text: string | null;
}

/** What is to become of settings, by their names: a text as their flags take it; null for the default. */
export type SettingChanges = ReadonlyMap<string, string | null>;

interface LiveParts extends Pick<Parts, "tables" | "log"> {
  readonly asGiven: readonly GivenSetting[];
  readonly readSettings: (stored: ReadonlyMap<string, string>) => ReadSettings;
}

/**
 * The settings that administrators may change while the server runs, as they are now. The objects stay the same: who
 * keeps one, and reads it when it matters, follows.
 */
export class LiveSettings extends Service<LiveParts> {
  /** Requests per minute. */
  readonly rateLimits: Record<Plan, number>;
  /** Bytes; null for no limit. */
  readonly storageLimits: Record<Plan, number | null>;
  readonly retention: { days: number; versions: number };
  #named: Pick<ReadSettings["settings"], "name" | "signups">;

  constructor(parts: LiveParts) {
    super(parts);
    const { settings, problems } = this.#read();
    for (const [setting, problem] of problems)
      parts.log.warn("a setting that was changed on the dashboard has no value, so its default holds", {
        setting,
        problem,
      });
    this.rateLimits = { ...settings.rateLimits };
    this.storageLimits = { ...settings.storageLimits };
    this.retention = { days: settings.keepDays, versions: settings.keepVersions };
    this.#named = settings;
  }

  /** What the server is called, for people. */
  get name(): string {
    return this.#named.name;
  }

  get hasOpenSignups(): boolean {
    return this.#named.signups === "open";
  }

  /** All settings, in the order of the help. */
  views(): SettingView[] {
    const stored = this.parts.tables.settings.all();
    const { problems } = this.#read();
    return this.parts.asGiven.map((setting) => {
      const text = stored.get(setting.name);
      const isStored = setting.isChangeable && !isGiven(setting) && !problems.has(setting.name);
      return text !== undefined && isStored ? { ...setting, text, source: "stored" } : setting;
    });
  }

  /** Stores changes. Throws CONFLICT for what the start says, VALIDATION_ERROR. Inside a write; then `follow`. */
  store(changes: SettingChanges): void {
    const { settings } = this.parts.tables;
    for (const [name, text] of changes) {
      this.#requireChangeable(name);
      if (text === null) settings.remove(name);
      else settings.put(name, text.trim());
    }
    const { problems } = this.#read();
    for (const name of changes.keys()) {
      const problem = problems.get(name);
      if (problem !== undefined) throw invalid(name, problem);
    }
  }

  /** Takes over what is stored. */
  follow(): void {
    const { settings } = this.#read();
    Object.assign(this.rateLimits, settings.rateLimits);
    Object.assign(this.storageLimits, settings.storageLimits);
    Object.assign(this.retention, { days: settings.keepDays, versions: settings.keepVersions });
    this.#named = settings;
  }

  #read(): ReadSettings {
    return this.parts.readSettings(this.parts.tables.settings.all());
  }

  #requireChangeable(name: string): void {
    const setting = this.parts.asGiven.find((each) => each.name === name);
    if (setting === undefined || !isGiven(setting)) return;
    const by = setting.source === "flag" ? `the flag --${setting.flag}` : setting.variable;
    throw new CofferError(
      "CONFLICT",
      `${name} is set by ${by}, which stands. Change it there, and restart the server.`,
    );
  }
}
