import vaultIcon from "lucide-static/icons/vault.svg" with { type: "text" };
import type { ComponentChildren } from "preact";
import { Icon } from "../icon.tsx";

/** The frame of the pages that need no sign-in: a single card. */
export function Outside({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="outside">
      <header class="brand">
        <Icon svg={vaultIcon} /> Coffer
      </header>
      <main class="card" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
