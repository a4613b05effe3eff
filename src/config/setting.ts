import type { Parser } from "./values.ts";

export interface Setting<T> {
  /** Its flag and the placeholder for its value: `--data-dir PATH`; `COFFER_DATA_DIR` is made from it. */
  readonly flag: string;
  readonly help: string;
  /** The default: parsed like a given value, unless there is `absent`. Then it only describes that for the help. */
  readonly fallback: string;
  readonly absent?: T;
  /** Whether a problem must not quote the value, because it is a secret, or may contain one by mistake. */
  readonly sensitive?: "secret" | "perhaps";
  /** Whether administrators may change it while the server runs, unless it is given. */
  readonly changeable?: true;
  readonly parse: Parser<T>;
}

/** Infers the type of its values. */
export function setting<T>(described: Setting<T>): Setting<T> {
  return described;
}

/** The name of its flag, without dashes: `data-dir`. */
export function nameOf({ flag }: Pick<Setting<unknown>, "flag">): string {
  return flag.slice(2, flag.indexOf(" "));
}

/** Its name in the API: `data_dir`. */
export function fieldOf(described: Pick<Setting<unknown>, "flag">): string {
  return nameOf(described).replaceAll("-", "_");
}

/** The setting's environment variable: `COFFER_DATA_DIR`. */
export function variableOf(described: Pick<Setting<unknown>, "flag">): string {
  return `COFFER_${nameOf(described).replaceAll("-", "_").toUpperCase()}`;
}
