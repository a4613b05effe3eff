import type { Doings } from "../api/types.ts";
import { formatList } from "./format.ts";
import { plural, t } from "./text.ts";

/** What somebody did, in words that stand after their name: `wrote 14 files, deleted 2, and did 1 other thing`. */
export function doingsInWords({ written, deleted, moved, other }: Omit<Doings, "by">): string {
  // What is counted is said once.
  const parts = [
    written > 0 && plural(written, "wrote {count} file", "wrote {count} files"),
    deleted > 0 &&
      (written === 0
        ? plural(deleted, "deleted {count} file", "deleted {count} files")
        : t("deleted {count}", { count: deleted })),
    moved > 0 &&
      (written + deleted === 0
        ? plural(moved, "moved {count} file", "moved {count} files")
        : t("moved {count}", { count: moved })),
    other > 0 && plural(other, "did {count} other thing", "did {count} other things"),
  ];
  return formatList(parts.filter((part) => part !== false));
}
