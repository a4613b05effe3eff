import type { Member } from "../../lib/api/types.ts";

/** What members may do, in words. */
export const ROLES: Readonly<Record<Member["role"], { readonly text: string; readonly as: string }>> = {
  reader: { text: "Reader: looks and downloads", as: "a reader" },
  editor: { text: "Editor: changes files too", as: "an editor" },
};

/** The role that a form chose. */
export function asRole(value: string): Member["role"] {
  return value === "editor" ? "editor" : "reader";
}
