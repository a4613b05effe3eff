import type { Snapshot } from "../../lib/api/types.ts";

/** The address of a folder as a snapshot has it. */
export function insideAddress({ id, drive_id: drive }: Snapshot, path: string): string {
  return `/snapshots?${new URLSearchParams({ drive, inside: id, ...(path === "" ? {} : { path }) })}`;
}

/** The address of what differs between a snapshot and now. */
export function compareAddress({ id, drive_id: drive }: Snapshot): string {
  return `/snapshots?${new URLSearchParams({ drive, compare: id })}`;
}
