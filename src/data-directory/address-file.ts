import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Log } from "../process/log.ts";
import type { DataDirectory } from "./data-directory.ts";

/** Where a server listens. */
interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Keeps where the server of a data directory listens, for commands, if its settings do not say so. It is under the
 * directory's lock, and of no use without a server. @param address null if the settings say it
 */
export function recordAddress({ addressFile }: DataDirectory, address: Address | null, log: Log): void {
  try {
    if (address === null) rmSync(addressFile, { force: true });
    else writeFileSync(addressFile, textOf(address), { mode: 0o600 });
  } catch (error) {
    // Such as a full disk, which must not keep a server from its work.
    log.warn("coffer status and coffer doctor do not find this server", { error });
  }
}

/** What was kept; null if nothing was, or nothing that can be read. */
export function recordedAddress({ addressFile }: DataDirectory): Address | null {
  if (!existsSync(addressFile)) return null;
  try {
    const value: unknown = JSON.parse(readFileSync(addressFile, "utf8"));
    if (typeof value !== "object" || value === null || !("host" in value && "port" in value)) return null;
    const { host, port } = value;
    return typeof host === "string" && typeof port === "number" ? { host, port } : null;
  } catch {
    return null;
  }
}

function textOf({ host, port }: Address): string {
  return `${JSON.stringify({ host, port })}\n`;
}
