import type { ApiError } from "../api/api.ts";
import type { By, FileRecord } from "../api/types.ts";
import type { Part } from "./merge.ts";
import type { StoredText } from "./stored.ts";

/** Who did something to the file that is edited; undefined where that is not known. */
interface Done {
  readonly by: By | undefined;
}

/** What is to be said above the text that is edited. */
export type Notice =
  | { readonly kind: "failed"; readonly error: ApiError }
  /** Others changed the file, and the text here has changes of its own. */
  | ({ readonly kind: "changed" } & Done)
  /** Their changes are in the text. */
  | ({ readonly kind: "merged" } & Done)
  | ({ readonly kind: "deleted" } & Done)
  /** They made it something that cannot be edited. */
  | ({ readonly kind: "unreadable"; readonly file: FileRecord } & Done)
  /** Something else stands where the text was to be made. */
  | { readonly kind: "taken" }
  | { readonly kind: "saved"; readonly file: FileRecord };

/** Lines that both sides changed, to be decided, and the text of the others. */
export interface Undecided extends Done {
  readonly parts: readonly Part[];
  readonly theirs: StoredText;
}
