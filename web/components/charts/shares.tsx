import type { ComponentChildren } from "preact";
import { formatBytes } from "../../lib/words/format.ts";

export interface Share {
  readonly key: string;
  readonly name: ComponentChildren;
  readonly bytes: number;
  /** A class whose colour the bar has. */
  readonly kind: string;
}

/** What takes how much, each with a bar: the longest is the largest. */
export function Shares({ shares }: { readonly shares: readonly Share[] }) {
  const most = Math.max(1, ...shares.map(({ bytes }) => bytes));
  return (
    <ul class="shares">
      {shares.map(({ key, name, bytes, kind }) => (
        <li key={key}>
          <span class="share-name">{name}</span>
          <span>{formatBytes(bytes)}</span>
          <span class={`share-bar kind ${kind}`} aria-hidden="true">
            <span style={{ inlineSize: `${(bytes / most) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}
