import type { ComponentChildren } from "preact";
import { Brand } from "./brand.tsx";

/** The frame of the pages that need no sign-in: a single card. */
export function Outside({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="outside">
      <header class="brand">
        <Brand />
      </header>
      <main class="card" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
