import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { codeIn } from "../../../lib/markdown/code-blocks.ts";
import type { Block } from "../../../lib/markdown/document.ts";
import { readdress } from "../../../lib/browser/router.tsx";
import { shownPath } from "../../../lib/browser/shown-address.ts";
import { t } from "../../../lib/words/text.ts";
import { useTokens } from "../code.tsx";
import { Blocks } from "./blocks.tsx";
import { DocumentContext } from "./context.ts";

interface DocumentProps {
  readonly blocks: readonly Block[];
  /** Of the file that it is read from: its links and pictures are named from there. */
  readonly path: string;
}

/** A Markdown document as its author meant it to look; HTML in it is text. */
export function Document({ blocks, path }: DocumentProps) {
  const article = useRef<HTMLElement>(null);
  const codes = useMemo(() => codeIn(blocks), [blocks]);
  const found = useTokens(codes);
  const context = useMemo(() => {
    const known = codes.flatMap(({ block }, at) => {
      const tokens = found[at];
      return tokens === undefined ? [] : [[block, tokens] as const];
    });
    const go = (anchor: string) => {
      readdress(`${shownPath()}${location.search}#${encodeURIComponent(anchor)}`);
      goTo(article.current, anchor);
    };
    return { path, tokens: new Map(known), go };
  }, [path, codes, found]);
  // Whoever comes by a link to a heading. Where the document changes later, they stay where they are.
  useLayoutEffect(() => goTo(article.current, decodedHash()), []);
  return (
    <article ref={article} class="prose">
      <DocumentContext.Provider value={context}>
        <Blocks blocks={blocks} />
      </DocumentContext.Provider>
    </article>
  );
}

/** A document that fills its place, and scrolls there. */
export function ScrolledDocument(document: DocumentProps) {
  return (
    <div class="preview-body" tabIndex={0} role="region" aria-label={t("Document")}>
      <Document {...document} />
    </div>
  );
}

function goTo(article: HTMLElement | null, anchor: string): void {
  // Names of headings are in lower case, and not everybody writes them so.
  const name = CSS.escape(anchor.toLowerCase());
  const target = article?.querySelector<HTMLElement>(`[data-anchor="${name}"]`);
  if (anchor === "" || target === null || target === undefined) return;
  target.scrollIntoView();
  // The Tab key goes on from there.
  if (!target.matches("a")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function decodedHash(): string {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    // A stray `%`: no heading's.
    return "";
  }
}
