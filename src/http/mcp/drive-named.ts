import type { Caller } from "../../domain/accounts/caller.ts";
import type { SeenDrive } from "../../domain/drives/drive.ts";
import { CofferError, invalid } from "../../domain/errors.ts";
import type { Drives } from "../../services/drives/drives.ts";
import { nameOf } from "./shown.ts";

/** How many drives an error names. */
const NAMED = 20;

/**
 * The drive that arguments name, or the caller's only own one, or else the only one that is shared with it.
 *
 * @throws CofferError NOT_FOUND; VALIDATION_ERROR, which names the drives, if the caller has several
 */
export function driveNamed(drives: Drives, caller: Caller, sent: string | undefined): SeenDrive {
  if (sent !== undefined) return drives.get(caller, sent);
  const all = drives.list(caller, null);
  // That somebody shares a drive must not change which one is meant.
  const own = all.filter(({ role }) => role === "owner");
  const [first, second] = own.length === 0 ? all : own;
  if (first === undefined) {
    throw new CofferError(
      "NOT_FOUND",
      "You have no drive. Make one in the dashboard or with POST /v0/drives.",
    );
  }
  if (second === undefined) return first;
  const names = all.slice(0, NAMED).map((drive) => JSON.stringify(nameOf(drive)));
  const more = all.length > NAMED ? ", and more: see list_drives" : "";
  throw invalid("drive_id", `is required, because you have several: ${names.join(", ")}${more}.`);
}
