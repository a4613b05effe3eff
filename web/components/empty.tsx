import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

interface EmptyProps {
  /** A picture of what would be here. */
  readonly svg: string;
  readonly title: string;
  /** Whether the title is the page's. */
  readonly isPage?: boolean;
  /** Whether it comes as the answer to something, and is to be read aloud. */
  readonly isAnswer?: boolean;
  /** What would be here, and the next step. */
  readonly children?: ComponentChildren;
}

/** What a page shows in place of a list that has nothing in it. */
export function Empty({ svg, title, isPage = false, isAnswer = false, children }: EmptyProps) {
  return (
    <div class="empty" role={isAnswer ? "status" : undefined}>
      <span class="empty-icon">
        <Icon svg={svg} />
      </span>
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}
