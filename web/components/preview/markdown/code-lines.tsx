import { useContext, useMemo } from "preact/hooks";
import type { CodeTokens } from "../../../lib/code/tokens.ts";
import { type TextBlock, textBlocks } from "../../../lib/contents/long-text.ts";
import type { CodeBlock, OutputBlock } from "../../../lib/markdown/document.ts";
import { Code, useSeen } from "../code.tsx";
import { DocumentContext } from "./context.ts";

const LINE_HEIGHT_EM = 1.5;

/** Code, or what it gave, of which a browser lays out what is in sight. */
export function CodeLines({ code }: { readonly code: CodeBlock | OutputBlock }) {
  const { blocks } = useMemo(() => textBlocks(code.text, Infinity), [code]);
  const known = useContext(DocumentContext).tokens;
  const tokens = code.kind === "code" ? known.get(code) : undefined;
  return (
    <pre tabIndex={0}>
      {blocks.map((block, at) => (
        <Lines key={at} block={block} tokens={tokens} />
      ))}
    </pre>
  );
}

interface LinesProps {
  readonly block: TextBlock;
  readonly tokens: CodeTokens | undefined;
}

function Lines({ block, tokens }: LinesProps) {
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const size = `auto ${block.longest}ch auto ${block.lines * LINE_HEIGHT_EM}em`;
  return (
    <div ref={ref} class="prose-lines" style={{ containIntrinsicSize: size }}>
      <Code block={block} tokens={isSeen ? tokens : undefined} />
    </div>
  );
}
