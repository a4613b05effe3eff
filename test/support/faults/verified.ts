import { findDataDirectory } from "../../../src/data-directory/data-directory.ts";
import { type VerifyOptions, verify } from "../../../src/verify/verify.ts";
import { systemClock } from "../../../src/process/clock.ts";

/** What `coffer verify` prints of a data directory, without the summary. */
export async function verified(
  dataDir: string,
  options: Partial<Pick<VerifyOptions, "isQuick" | "repairFrom">> = {},
): Promise<string[]> {
  const lines: string[] = [];
  const directory = findDataDirectory(dataDir);
  const given = { directory, isQuick: false, repairFrom: null, clock: systemClock, ...options };
  for await (const event of verify(given)) {
    if (event.kind === "progress") continue;
    lines.push(`${event.kind === "finding" ? event.code : event.kind} ${event.about}`);
  }
  return lines;
}
