import * as fc from "fast-check";
import * as model from "./tree-model.ts";

/** What a caller, or the server itself, does. */
export type Change =
  | { readonly kind: "upload"; readonly path: string; readonly content: string; readonly expires: boolean }
  | { readonly kind: "download" | "remove"; readonly id: string }
  | { readonly kind: "move" | "copy"; readonly id: string; readonly to: string; readonly overwrite: boolean }
  | { readonly kind: "create folder" | "remove folder"; readonly path: string }
  | { readonly kind: "move folder" | "copy folder"; readonly from: string; readonly to: string }
  | { readonly kind: "restore" | "purge"; readonly entry: Entry }
  | { readonly kind: "sweep" | "wait" };

/** What is in the trash at the start: a file, and a folder. */
export type Entry = "file" | "folder";

const PATHS = ["a", "b", "d/a", "d/b", "d/e/a", "e/a", "d", "d/e"];
const FOLDERS = ["d/", "d/e/", "e/", "e/d/", "b/"];
const IDS = ["first", "second", "third", "fourth"];
/** The sizes of the contents, in bytes: in the database, in a file, and too long to be read at once. */
export const SIZES = { small: 100, large: 20_000, huge: 100_000, orphan: 30_000 };
const CONTENTS = Object.keys(SIZES);

const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("upload" as const),
      path: fc.constantFrom(...PATHS),
      content: fc.constantFrom(...CONTENTS),
      expires: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("download" as const, "remove" as const),
      id: fc.constantFrom(...IDS),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("move" as const, "copy" as const),
      id: fc.constantFrom(...IDS),
      to: fc.constantFrom(...PATHS),
      overwrite: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("create folder" as const, "remove folder" as const),
      path: fc.constantFrom(...FOLDERS),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom("restore" as const, "restore" as const, "purge" as const),
      entry: fc.constantFrom("file" as const, "folder" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom("move folder" as const, "copy folder" as const),
      from: fc.constantFrom(...FOLDERS),
      to: fc.constantFrom(...FOLDERS),
    }),
  },
);
const upkeep = fc.record({ kind: fc.constantFrom("sweep" as const, "wait" as const) });

/** What happens at once: what three callers do, one thing after another, and the server's own upkeep. */
export const treeThreads: fc.Arbitrary<Change[][]> = fc
  .tuple(
    fc.array(change, { minLength: 1, maxLength: 3 }),
    fc.array(change, { minLength: 1, maxLength: 3 }),
    fc.array(change, { maxLength: 2 }),
    fc.array(upkeep, { maxLength: 4 }),
  )
  .map((threads) => [...threads]);

/** What it comes to in a tree, one thing after another. */
export function expected(tree: model.ModelTree, each: Change): readonly [string, model.ModelTree] {
  switch (each.kind) {
    case "upload":
      return model.upload(tree, each.path, each.content, each.expires);
    case "download":
      return model.download(tree, each.id);
    case "remove":
      return model.removeFile(tree, each.id);
    case "move":
    case "copy":
      return model.transferFile(tree, { ...each, isCopy: each.kind === "copy" });
    case "create folder":
      return model.createFolder(tree, each.path);
    case "remove folder":
      return model.removeFolder(tree, each.path);
    case "move folder":
    case "copy folder":
      return model.transferFolder(tree, { ...each, isCopy: each.kind === "copy folder" });
    case "restore":
      return model.restore(tree, each.entry);
    case "purge":
      return model.purge(tree, each.entry);
    case "sweep":
      return ["done", tree];
    case "wait":
      return model.wait(tree);
  }
}
