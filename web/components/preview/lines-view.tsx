import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { CodeText, CodeTokens } from "../../lib/code/tokens.ts";
import { mustWrap, type TextBlock, textBlocks } from "../../lib/contents/long-text.ts";
import { hasOverrides } from "../../lib/contents/overrides.ts";
import { t } from "../../lib/words/text.ts";
import { Careful } from "./careful.tsx";
import { Code, useSeen, useTokens } from "./code.tsx";

/** Lines of the text, counted from 1. */
interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** More lines take a browser seconds to make elements of. */
const MOST_LINES = 50_000;
/** About how much of a line there is room for, where it is wrapped. */
const LINE_OF_WINDOW = 120;
const LINE_HEIGHT_EM = 1.5;

interface LinesViewProps {
  readonly text: string;
  /** The language of code; null for any other text. */
  readonly language?: string | null;
  /** Whether lines are wrapped from the start, however long they are. */
  readonly isWrapped?: boolean;
  /** Which lines have a mark where they are numbered. */
  readonly commented?: readonly LineRange[];
}

/** A text as it is. Its lines are numbered, unless they are wrapped. */
export function LinesView(props: LinesViewProps) {
  const { text, language = null, isWrapped: isParagraphs = false, commented = [] } = props;
  const { blocks, isCut } = useMemo(() => textBlocks(text, MOST_LINES), [text]);
  const code = useMemo((): CodeText[] => (language === null ? [] : [{ text, language }]), [text, language]);
  const [tokens] = useTokens(code);
  const [isChosen, setChosen] = useState(isParagraphs);
  const isBroken = blocks.some(({ first }) => first === null);
  const isAlways = useMemo(() => mustWrap(text, blocks), [text, blocks]);
  const isWrapped = isChosen || isAlways;
  const digits = String(blocks.reduce((lines, block) => lines + block.lines, 0)).length;
  return (
    <>
      {hasOverrides(text) && (
        <Careful>
          {t(
            "This text has invisible characters that change its reading order. It may not say what it seems to say.",
          )}
        </Careful>
      )}
      {isCut && (
        <Careful>
          {t("Showing the first {count} lines. Download the file to see the rest.", { count: MOST_LINES })}
        </Careful>
      )}
      {isBroken && (
        <Careful>{t("Long lines are broken to be shown. Download the file to copy them.")}</Careful>
      )}
      {!isAlways && (
        <div class="row preview-bar">
          <label class="row">
            <input
              type="checkbox"
              checked={isWrapped}
              onChange={(event) => setChosen(event.currentTarget.checked)}
            />
            {t("Wrap lines")}
          </label>
        </div>
      )}
      <div class="preview-body" tabIndex={0} role="region" aria-label={t("Text")}>
        <div class={isWrapped ? "preview-lines wrapped" : "preview-lines"} style={{ "--digits": digits }}>
          {blocks.map((block, at) => (
            <Block key={at} block={block} tokens={tokens} isWrapped={isWrapped} commented={commented} />
          ))}
        </div>
      </div>
    </>
  );
}

interface BlockProps {
  readonly block: TextBlock;
  readonly tokens: CodeTokens | undefined;
  readonly isWrapped: boolean;
  readonly commented: readonly LineRange[];
}

/** A browser lays these lines out when they are nearly in sight. Until then it needs to know their size. */
function Block({ block, tokens, isWrapped, commented }: BlockProps) {
  const { text, first, lines, longest } = block;
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const rows = isWrapped ? Math.max(lines, Math.ceil(text.length / LINE_OF_WINDOW)) : lines;
  const size = `auto ${isWrapped ? 0 : longest}ch auto ${rows * LINE_HEIGHT_EM}em`;
  return (
    <div ref={ref} class="preview-block" style={{ containIntrinsicSize: size }}>
      {!isWrapped && (
        <pre class="preview-numbers" aria-hidden="true">
          {first !== null && numbersOf({ start: first, end: first + lines - 1 }, commented)}
        </pre>
      )}
      <pre class="preview-text">
        <Code block={block} tokens={isSeen ? tokens : undefined} />
      </pre>
    </div>
  );
}

/** The numbers of some lines, a line each; those with comments are marked. */
function numbersOf(shown: LineRange, commented: readonly LineRange[]): ComponentChildren {
  const numbers = Array.from({ length: shown.end - shown.start + 1 }, (_, at) => shown.start + at);
  const here = commented.filter(({ start, end }) => start <= shown.end && end >= shown.start);
  if (here.length === 0) return numbers.join("\n");
  return numbers.map((number) =>
    here.some(({ start, end }) => start <= number && number <= end) ? (
      <span key={number} class="commented">
        {`${number}\n`}
      </span>
    ) : (
      `${number}\n`
    ),
  );
}
