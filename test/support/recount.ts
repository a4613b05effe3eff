import type { Database as Sqlite } from "bun:sqlite";
import { wrongCounts, wrongPlaces } from "../../src/db/verify/counts.ts";
import { wrongKept } from "../../src/db/verify/kept-counts.ts";
import { wrongTags } from "../../src/db/verify/tags.ts";

/** The errors in the trees of all drives: wrong counts and tags, and entries in another folder than their path says. */
export function faultsOfTrees(sql: Sqlite): string[] {
  return [...wrongPlaces(sql), ...wrongCounts(sql), ...wrongKept(sql), ...wrongTags(sql)].map(
    ({ about }) => about,
  );
}
