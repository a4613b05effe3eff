import { WriteRefused } from "../../domain/errors.ts";
import type { Log } from "../../process/log.ts";
import type { ApiKeys } from "../accounts/api-keys.ts";
import type { Sessions } from "../accounts/sessions.ts";
import type { UsageMeter } from "../accounts/usage.ts";
import type { LinkUses } from "../links/link-lists.ts";

interface LastCountsParts {
  readonly usage: Pick<UsageMeter, "flush">;
  readonly linkUses: Pick<LinkUses, "flush">;
  readonly sessions: Pick<Sessions, "flushUse">;
  readonly apiKeys: Pick<ApiKeys, "flushUse">;
  /** Whether the database takes no more. */
  readonly hasFailed: () => boolean;
  readonly log: Log;
}

/** Writes what is kept in memory, at the end. A full or failed disk does not stop the rest from closing. */
export async function flushCounts({ hasFailed, log, ...services }: LastCountsParts): Promise<void> {
  const flushes = [
    () => services.usage.flush(),
    () => services.linkUses.flush(),
    () => services.sessions.flushUse(),
    () => services.apiKeys.flushUse(),
  ];
  for (const flush of flushes) {
    // Why it takes no more is logged already.
    if (hasFailed()) return;
    try {
      await flush();
    } catch (error) {
      if (!(error instanceof WriteRefused)) throw error;
      log.warn("the last counts of use could not be written", { reason: error.message });
    }
  }
}
