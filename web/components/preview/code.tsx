import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { piecesOf } from "../../lib/code/pieces.ts";
import { readTokens } from "../../lib/code/read-tokens.ts";
import type { CodeText, CodeTokens } from "../../lib/code/tokens.ts";
import type { TextBlock } from "../../lib/contents/long-text.ts";

/** The tokens of each text, once they are found. `texts` is to be the same array while they are the same texts. */
export function useTokens(texts: readonly CodeText[]): readonly CodeTokens[] {
  const [found, setFound] = useState<{ readonly of: typeof texts; readonly tokens: readonly CodeTokens[] }>();
  useEffect(() => {
    const abort = new AbortController();
    void readTokens(texts, abort.signal).then((tokens) => {
      if (!abort.signal.aborted) setFound({ of: texts, tokens });
    });
    return () => abort.abort();
  }, [texts]);
  return found?.of === texts ? found.tokens : [];
}

/** Whether an element has come close to what is in sight since it is there. */
export function useSeen<E extends HTMLElement>(): {
  readonly ref: RefObject<E | null>;
  readonly isSeen: boolean;
} {
  const ref = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        setSeen(true);
      },
      { root: element.closest(".preview-body"), rootMargin: "100%" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, isSeen };
}

interface CodeProps {
  readonly block: TextBlock;
  /** Those of the whole text; none if they are not known, or not to be shown yet: a long text has many. */
  readonly tokens: CodeTokens | undefined;
}

/** Some lines of code, in its colours. */
export function Code({ block: { text, from }, tokens }: CodeProps) {
  if (tokens === undefined) return <>{text}</>;
  return (
    <>
      {piecesOf(text, from, tokens).map(({ text: piece, kind }, at) =>
        kind === null ? (
          piece
        ) : (
          <span key={at} class={`code-${kind}`}>
            {piece}
          </span>
        ),
      )}
    </>
  );
}
