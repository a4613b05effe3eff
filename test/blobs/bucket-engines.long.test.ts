import { describe } from "bun:test";
import { NO_CEPH, startCeph } from "../support/peers/ceph.ts";
import { clientOf, newBucket, openEngine, type S3Engine, settingsIn } from "../support/peers/s3-engine.ts";
import { optionsFor } from "../support/peers/s3-options.ts";
import { NO_SWIFT, startSwift } from "../support/peers/swift.ts";
import { describeBlobStore, type OpenedStore } from "../support/samples/blob-store-contract.ts";
import { contractStore, openBucketAt } from "../support/server/open-bucket.ts";
import { withReason } from "../support/server/skip.ts";

const ENGINES = [
  { name: "Ceph", reason: NO_CEPH, start: startCeph },
  { name: "Swift", reason: NO_SWIFT, start: startSwift },
];

for (const { name, reason, start } of ENGINES) {
  describe.skipIf(reason !== "")(withReason(name, reason), () => {
    const engine = openEngine(start);
    describeBlobStore({
      name: "a bucket",
      largest: Number.POSITIVE_INFINITY,
      open: () => open(engine()),
    });
  });
}

async function open(engine: S3Engine): Promise<OpenedStore> {
  const { env } = engine;
  const bucket = await newBucket(engine);
  const client = clientOf(env, bucket);
  const opened = await openBucketAt(
    optionsFor({ settings: settingsIn(engine.env) }, { bucket, prefix: "some/where/" }),
  );
  return contractStore(opened, async (name, bytes) => {
    if (bytes === null) await client.delete(name);
    else await client.write(name, bytes);
  });
}
