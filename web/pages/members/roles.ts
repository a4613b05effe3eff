import type { Member } from "../../lib/api/types.ts";
import { mark } from "../../lib/words/text.ts";

/** What members may do. */
export const ROLES = {
  reader: mark("Reader: looks and downloads"),
  editor: mark("Editor: changes files too"),
} as const satisfies Readonly<Record<Member["role"], string>>;

/** What somebody is from now on. */
export const NOW = {
  reader: mark("{name} is a reader now."),
  editor: mark("{name} is an editor now."),
} as const satisfies Readonly<Record<Member["role"], string>>;

/** The role that a form chose. */
export function asRole(value: string): Member["role"] {
  return value === "editor" ? "editor" : "reader";
}
