import { S3Server } from "../support/peers/s3-server.ts";
import { describeBucket, type OpenedBucket } from "../support/samples/bucket-contract.ts";
import { optionsFor } from "../support/peers/s3-options.ts";

type Traits = Parameters<typeof S3Server.start>[1];

async function open(traits: Traits): Promise<OpenedBucket> {
  const server = await S3Server.start("a-bucket", traits);
  return {
    options: optionsFor(server, { prefix: "some/where/", partBytes: 150_000 }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

describeBucket({ name: "a store like AWS", hasConditions: true, open: () => open({}) });
describeBucket({
  name: "a store that ignores conditions, and refuses checksums",
  hasConditions: false,
  open: () => open({ conditions: "ignored", checksums: "refused" }),
});
describeBucket({
  name: "a store that refuses conditions, and checksums in lists of parts",
  hasConditions: false,
  open: () => open({ conditions: "refused", checksums: "unlisted" }),
});
