import { describeBlobStore } from "../support/samples/blob-store-contract.ts";
import { joinedStore } from "../support/server/open-joined.ts";

for (const [current, name] of [
  ["bucket", "a bucket and a former disk"],
  ["disk", "a disk and a former bucket"],
] as const) {
  describeBlobStore({ name, largest: Number.POSITIVE_INFINITY, open: () => joinedStore(current) });
}
