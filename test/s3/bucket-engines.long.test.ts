import { describe } from "bun:test";
import { NO_CEPH, startCeph } from "../support/peers/ceph.ts";
import { newBucket, openEngine, type S3Engine, settingsIn } from "../support/peers/s3-engine.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { NO_SWIFT, startSwift } from "../support/peers/swift.ts";
import { describeBucket, type OpenedBucket } from "../support/samples/bucket-contract.ts";
import { withReason } from "../support/server/skip.ts";

/** Bytes: the least that a store takes. */
const PART = 5 * 1024 * 1024;

const ENGINES = [
  { name: "Ceph", reason: NO_CEPH, start: startCeph, hasConditions: true },
  { name: "Swift", reason: NO_SWIFT, start: startSwift, hasConditions: false },
];

for (const { name, reason, start, hasConditions } of ENGINES) {
  describe.skipIf(reason !== "")(withReason(name, reason), () => {
    const engine = openEngine(start);
    describeBucket({ name: "its bucket", hasConditions, open: () => open(engine()) });
  });
}

async function open(engine: S3Engine): Promise<OpenedBucket> {
  const bucket = await newBucket(engine);
  return {
    options: optionsFor(
      { settings: settingsIn(engine.env) },
      { bucket, prefix: "some/where/", partBytes: PART },
    ),
    // Both end with the engine.
    [Symbol.asyncDispose]: async () => {},
  };
}
