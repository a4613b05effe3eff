import { type Caller, isManaging } from "../../domain/accounts/caller.ts";
import { ROOT } from "../../domain/files/path.ts";

/** What a text says to whom: conditions of its template. Whoever has no key yet is told of everything. */
export function abilitiesOf(caller: Caller | null): Record<string, boolean> {
  const writes = caller === null || caller.scope === "read-write";
  const isInFolder = caller?.kind === "drive" && caller.prefix !== ROOT;
  const ofAccount = writes && caller?.kind !== "drive";
  const manages = writes && (caller === null || isManaging(caller));
  const isApplication = caller !== null && caller.keyId !== null && caller.isApplication;
  return {
    keyed: caller !== null,
    of_account: caller?.kind === "account",
    of_drive: caller?.kind === "drive" && !isInFolder,
    of_folder: isInFolder,
    application: isApplication,
    // Of an account: that of a drive makes keys and webhooks of its drive.
    made_by_key: ofAccount && !manages && !isApplication,
    reads_only: !writes,
    writes,
    tour: writes && !isInFolder,
    forks: ofAccount,
    keys: manages,
    webhooks: manages && !isInFolder,
    members: ofAccount && manages,
  };
}
