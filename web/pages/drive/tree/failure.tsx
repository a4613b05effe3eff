import { Failure } from "../../../components/failure.tsx";
import type { TreeBranches } from "./branches.ts";
import { useRows } from "./use-branches.ts";

/** Why a part of a tree could not be loaded; nothing where all could. */
export function TreeFailure({ branches }: { readonly branches: TreeBranches }) {
  useRows(branches);
  const { error } = branches;
  return error === null ? null : <Failure error={error} retry={() => branches.retry()} />;
}
