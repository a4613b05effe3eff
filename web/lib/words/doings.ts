import type { Doings } from "../api/types.ts";
import { formatCount } from "./format.ts";

/** What somebody did, in words that stand after their name: `wrote 14 files, deleted 2, and did 1 other thing`. */
export function doingsInWords({ written, deleted, moved, other }: Omit<Doings, "by">): string {
  const files = [
    { did: "wrote", count: written },
    { did: "deleted", count: deleted },
    { did: "moved", count: moved },
  ].filter(({ count }) => count > 0);
  // What is counted is said once.
  const parts = files.map(({ did, count }, at) =>
    at === 0 ? `${did} ${formatCount(count, "file")}` : `${did} ${count.toLocaleString()}`,
  );
  return LIST.format(other > 0 ? [...parts, `did ${formatCount(other, "other thing")}`] : parts);
}

const LIST = new Intl.ListFormat("en");
