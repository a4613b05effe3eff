import { findDataDirectory } from "../../../src/data-directory/data-directory.ts";
import { type VerifyOptions, verify } from "../../../src/verify/verify.ts";
import { NO_S3 } from "../peers/s3-options.ts";
import { systemClock } from "../../../src/process/clock.ts";

/** What `coffer verify` prints of a data directory, without the summary. */
export async function verified(
  dataDir: string,
  options: Partial<Pick<VerifyOptions, "depth" | "repairFrom" | "s3">> = {},
): Promise<string[]> {
  const lines: string[] = [];
  const directory = findDataDirectory(dataDir);
  const given: VerifyOptions = {
    directory,
    depth: null,
    s3: NO_S3,
    diskReserve: 0,
    repairFrom: null,
    clock: systemClock,
    ...options,
  };
  for await (const event of verify(given)) {
    if (event.kind === "progress") continue;
    lines.push(`${event.kind === "finding" ? event.code : event.kind} ${event.about}`);
  }
  return lines;
}
