import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { shownText } from "../../lib/contents/shown-text.ts";
import type { DrawnPage, PageLink, PageText } from "../../lib/pdf/messages.ts";
import type { PdfReader } from "../../lib/pdf/pdf-reader.ts";
import { t } from "../../lib/words/text.ts";

/** Drawn finer than the screen, for those who zoom in with two fingers. */
const LEAST_PIXEL_RATIO = 2;
/** Pages are drawn when they are this near to what is seen, and given up when they are farther. */
const NEAR = "50% 0px";

interface PdfPageProps {
  readonly reader: PdfReader;
  readonly number: number;
  readonly of: number;
  /** What is taken for its width by its height until it is drawn. */
  readonly ratio: number;
  readonly onLink: (href: string) => void;
}

/** One page, drawn while it is in sight. */
export function PdfPage({ reader, number, of, ratio, onLink }: PdfPageProps) {
  const element = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [drawn, setDrawn] = useState<DrawnPage | "failed" | null>(null);
  const [known, setKnown] = useState(ratio);
  useEffect(() => {
    if (element.current === null) return;
    const root = element.current.parentElement;
    const watch = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting === true), {
      root,
      rootMargin: NEAR,
    });
    watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (!isNear || element.current === null) return;
    const abort = new AbortController();
    const width = element.current.clientWidth * Math.max(devicePixelRatio, LEAST_PIXEL_RATIO);
    void reader.draw(number, width, abort.signal).then((page) => {
      if (abort.signal.aborted) return page?.bitmap.close();
      setDrawn(page ?? "failed");
      if (page !== null) setKnown(page.width / page.height);
    });
    return () => {
      abort.abort();
      setDrawn(null);
    };
  }, [isNear, reader, number]);
  return (
    <div
      ref={element}
      class="pdf-page"
      style={{ aspectRatio: known }}
      aria-label={t("Page {number} of {total}", { number, total: of })}
    >
      {drawn === "failed" ? (
        <p class="soft">{t("Page {number} is damaged, or too complex to be shown here.", { number })}</p>
      ) : (
        drawn !== null && <DrawnParts page={drawn} onLink={onLink} />
      )}
    </div>
  );
}

interface DrawnPartsProps {
  readonly page: DrawnPage;
  readonly onLink: (href: string) => void;
}

function DrawnParts({ page, onLink }: DrawnPartsProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { bitmap, width, height, texts, links } = page;
  const words = useMemo(() => wordsOf(texts), [texts]);
  useEffect(() => {
    if (canvas.current === null) return;
    canvas.current.width = bitmap.width;
    canvas.current.height = bitmap.height;
    canvas.current.getContext("bitmaprenderer")?.transferFromImageBitmap(bitmap);
  }, [bitmap]);
  return (
    <>
      <canvas ref={canvas} aria-hidden="true" />
      <svg class="pdf-texts" viewBox={`0 0 ${width} ${height}`}>
        {texts.map((text, at) => (
          <Words key={at} place={text} words={words[at] ?? ""} />
        ))}
      </svg>
      {links.map((link, at) => (
        <Link key={at} link={link} page={page} onLink={onLink} />
      ))}
    </>
  );
}

/** As they can be shown at once: what is costly is so in all of them together. */
function wordsOf(texts: readonly PageText[]): string[] {
  return shownText(texts.map(({ text }) => text.replaceAll("\n", " ")).join("\n")).split("\n");
}

interface WordsProps {
  readonly place: PageText;
  readonly words: string;
}

/** Over what is drawn, and not seen: to be selected, and to be read aloud. */
function Words({ place: { x, y, size, width, angle }, words }: WordsProps) {
  return (
    <text
      transform={`translate(${x} ${y}) rotate(${angle})`}
      font-size={size}
      {...(width > 0 && { textLength: width, lengthAdjust: "spacingAndGlyphs" })}
    >
      {words}
    </text>
  );
}

interface LinkProps extends DrawnPartsProps {
  readonly link: PageLink;
}

function Link({ link: { href, x, y, width, height }, page, onLink }: LinkProps) {
  return (
    <button
      type="button"
      class="pdf-link"
      aria-label={t("Link to {address}", { address: href.slice(0, 200) })}
      title={href.slice(0, 200)}
      style={{
        left: percent(x, page.width),
        top: percent(y, page.height),
        width: percent(width, page.width),
        height: percent(height, page.height),
      }}
      onClick={() => onLink(href)}
    />
  );
}

function percent(length: number, whole: number): string {
  return `${(100 * length) / whole}%`;
}
