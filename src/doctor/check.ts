/** What was looked at, what was found, and for what is not well, what to do. */
export interface Check {
  readonly name: CheckName;
  readonly level: "ok" | "warning" | "error";
  readonly found: string;
  /** Null where it is well. */
  readonly advice: string | null;
}

export type CheckName =
  | "directory"
  | "disk"
  | "clock"
  | "open files"
  | "server"
  | "address"
  | "certificate"
  | "sign-in"
  | "backup"
  | "index";

export function ok(name: CheckName, found: string): Check {
  return { name, level: "ok", found, advice: null };
}

export function warning(name: CheckName, found: string, advice: string): Check {
  return { name, level: "warning", found, advice };
}

export function wrong(name: CheckName, found: string, advice: string): Check {
  return { name, level: "error", found, advice };
}

/** A size, for people. */
export function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
