import * as fc from "fast-check";
import { often, threadsOf } from "./orders.ts";
import * as model from "../models/model-tree.ts";

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

const path = fc.constantFrom("a", "b", "d/a", "d/b", "d/e/a", "e/a", "d", "d/e");
const folder = fc.constantFrom("d/", "d/e/", "e/", "e/d/", "b/");
const id = fc.constantFrom("first", "second", "third", "fourth");
/** The sizes of the contents, in bytes: in the database, in a file, and too long to be read at once. */
export const SIZES = { small: 100, large: 20_000, huge: 100_000, orphan: 30_000 };
const content = fc.constantFrom(...Object.keys(SIZES));

const change: fc.Arbitrary<Change> = fc.oneof(
  often(4, {
    kind: fc.constant("upload"),
    path,
    content,
    expires: fc.boolean(),
  }),
  often(3, { kind: fc.constantFrom("download", "remove"), id }),
  often(3, { kind: fc.constantFrom("move", "copy"), id, to: path, overwrite: fc.boolean() }),
  often(2, { kind: fc.constantFrom("create folder", "remove folder"), path: folder }),
  often(4, {
    kind: fc.constantFrom("restore", "restore", "purge"),
    entry: fc.constantFrom<Entry[]>("file", "folder"),
  }),
  often(3, { kind: fc.constantFrom("move folder", "copy folder"), from: folder, to: folder }),
);
const upkeep: fc.Arbitrary<Change> = fc.record({ kind: fc.constantFrom("sweep", "wait") });

/** What happens at once: what three callers do, one thing after another, and the server's own upkeep. */
export const treeThreads = threadsOf(change, upkeep, 4);

/** The one time at which files expire: after so many waits. In the model, time is how often somebody has waited. */
export const LIFETIME = 1;

/** What it comes to in a tree, one thing after another. */
export function expected(tree: model.ModelTree, each: Change): readonly [string, model.ModelTree] {
  switch (each.kind) {
    case "upload":
      return model.upload(
        tree,
        each.path,
        model.newFile(each.content, { expiresAt: each.expires ? LIFETIME : null }),
      );
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
      return ["done", model.pass(tree, tree.now + 1)];
  }
}
