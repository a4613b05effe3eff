import type { ComponentChildren } from "preact";

/** What somebody should know of what is shown, above it. */
export function Careful({ children }: { readonly children: ComponentChildren }) {
  return <p class="notice careful preview-note">{children}</p>;
}
