import { Database as Sqlite } from "bun:sqlite";
import { wrongCounts, wrongPlaces, wrongTags } from "../../../src/db/verify/counts.ts";
import { wrongKept, wrongTrash } from "../../../src/db/verify/kept.ts";

/** The errors in the trees of all drives: wrong counts and tags, and entries in another folder than their path says. */
export function faultsOfTrees({ filename }: Pick<Sqlite, "filename">): string[] {
  using sql = new Sqlite(filename, { readonly: true });
  const checks = [wrongPlaces, wrongCounts, wrongKept, wrongTrash, wrongTags].flat();
  return checks.flatMap((check) => [...check(sql)].map(({ about }) => about));
}
