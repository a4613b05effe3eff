import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { ContentSourceContext } from "../../../lib/contents/content-source.ts";
import { rowsOf } from "../../../lib/contents/long-text.ts";
import { nearPlaceOf } from "../../../lib/contents/relative.ts";
import { Link, opensInPlace } from "../../../lib/browser/router.tsx";
import type { Inline } from "../../../lib/markdown/document.ts";
import { t } from "../../../lib/words/text.ts";
import { DocumentContext, markAnchor, noteAnchor } from "./context.ts";
import { Picture } from "./picture.tsx";

/** Longer than a paragraph that somebody wrote to be read. */
const MOST_IN_PIECE = 2000;

/** Running text of a document. */
export function Inlines({ inlines }: { readonly inlines: readonly Inline[] }) {
  return <>{inlines.map(inlineNode)}</>;
}

function inlineNode(inline: Inline): ComponentChildren {
  switch (inline.kind) {
    case "text":
      return <Words text={inline.text} />;
    case "code":
      return (
        <code>
          <Words text={inline.text} />
        </code>
      );
    case "break":
      return <br />;
    case "strong":
      return <strong>{inline.children.map(inlineNode)}</strong>;
    case "emphasis":
      return <em>{inline.children.map(inlineNode)}</em>;
    case "deleted":
      return <del>{inline.children.map(inlineNode)}</del>;
    case "link":
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {inline.children.map(inlineNode)}
        </a>
      );
    case "reference":
      return <Reference to={inline.to}>{inline.children.map(inlineNode)}</Reference>;
    case "picture":
      return <Picture to={inline.to} alt={inline.alt} />;
    case "note":
      return <NoteMark number={inline.number} isFirst={inline.isFirst} />;
  }
}

interface ReferenceProps {
  readonly to: string;
  readonly children: ComponentChildren;
}

/** A link to a place in the document, or to a file of the same drive; only its words, where there is no such page. */
function Reference({ to, children }: ReferenceProps) {
  const { near } = useContext(ContentSourceContext);
  const { path: here } = useContext(DocumentContext);
  const place = nearPlaceOf(to, here);
  if (place === null) return <em>{children}</em>;
  const { path, anchor } = place;
  if (path === null || path === here) return <Jump anchor={anchor}>{children}</Jump>;
  if (near === null) return <em>{children}</em>;
  const hash = anchor === "" ? "" : `#${encodeURIComponent(anchor)}`;
  return <Link to={near.address(path) + hash}>{children}</Link>;
}

interface JumpProps {
  readonly anchor: string;
  /** What leads to the link itself. */
  readonly own?: string | undefined;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link to another place in the document. */
export function Jump({ anchor, own, label, children }: JumpProps) {
  const { go } = useContext(DocumentContext);
  const follow = (event: MouseEvent) => {
    if (!opensInPlace(event)) return;
    event.preventDefault();
    go(anchor);
  };
  return (
    <a href={`#${encodeURIComponent(anchor)}`} data-anchor={own} aria-label={label} onClick={follow}>
      {children}
    </a>
  );
}

function NoteMark({ number, isFirst }: { readonly number: number; readonly isFirst: boolean }) {
  return (
    <sup>
      <Jump
        anchor={noteAnchor(number)}
        own={isFirst ? markAnchor(number) : undefined}
        label={t("Footnote {number}", { number })}
      >
        {number}
      </Jump>
    </sup>
  );
}

/** A text that is too long to be laid out as one is several, below each other. */
function Words({ text }: { readonly text: string }) {
  if (text.length <= MOST_IN_PIECE) return <>{text}</>;
  return (
    <>
      {rowsOf(text, MOST_IN_PIECE).map((row, at) => (
        <span key={at} class="prose-row">
          {row}
        </span>
      ))}
    </>
  );
}
