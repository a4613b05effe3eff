import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Marked, type Tokens } from "marked";
import { type Heading, wholePage } from "./whole-page.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const DOCS = join(ROOT, ".github/docs");
/** The first page, as a file. */
const INDEX = "README.md";

/** What pages show and link to: from the root of the project. */
const FILES: Readonly<Record<string, string>> = {
  ".github/docs/scale.svg": "image/svg+xml",
  ".github/monitoring/alerts.yml": "application/yaml; charset=utf-8",
  ".github/monitoring/dashboard.json": "application/json; charset=utf-8",
  "src/http/manual/manual.css": "text/css; charset=utf-8",
};

interface ManualPage {
  /** As its address ends, such as `install`; empty for the first page, `/manual`. */
  readonly name: string;
  readonly html: string;
  readonly markdown: string;
}

interface ManualFile {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/**
 * Makes the pages of the files in `.github/docs`. A macro: only the compiler calls it, so neither the files nor what
 * reads Markdown are part of a start.
 */
export function renderManual(): { pages: ManualPage[]; files: ManualFile[] } {
  const sources = sourcesInOrder();
  const titles = sources.map(({ file, text }) => ({ name: nameOf(file), title: titleOf(text) }));
  const pages = sources.map(({ file, text }) => {
    const name = nameOf(file);
    const { content, headings } = rendered(text, (target) => addressOf(target, name === ""));
    return {
      name,
      html: wholePage({ name, content, headings, pages: titles }),
      markdown: text.replaceAll(/\]\(([^)\s]+)\)/g, (_, target) => `](${sourceOf(target, name === "")})`),
    };
  });
  const files = Object.entries(FILES).map(([path, type]) => ({
    name: path.slice(path.lastIndexOf("/") + 1),
    type,
    text: readFileSync(join(ROOT, path), "utf8"),
  }));
  return { pages, files };
}

/** The first page, and then the others as it names them. Throws if it leaves one out. */
function sourcesInOrder(): { file: string; text: string }[] {
  const index = readFileSync(join(DOCS, INDEX), "utf8");
  const named = Array.from(index.matchAll(/\]\(([\w-]+\.md)\)/g), ([, file = ""]) => file);
  const order = [...new Set([INDEX, ...named])];
  const left = readdirSync(DOCS).filter((file) => file.endsWith(".md") && !order.includes(file));
  if (left.length > 0) throw new Error(`the manual's first page does not name ${left.join(", ")}`);
  return order.map((file) => ({ file, text: readFileSync(join(DOCS, file), "utf8") }));
}

function nameOf(file: string): string {
  return file === INDEX ? "" : file.replace(/\.md$/, "");
}

function titleOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? "";
}

/**
 * Where a link of a file leads on the server, relative to the page: all is in `/manual/`, but the first page is
 * `/manual`.
 */
function addressOf(target: string, isIndex: boolean): string {
  return sourceOf(target, isIndex).replace(/\.md(?=#|$)/, "");
}

/** The same for the page in Markdown, whose links lead to others in Markdown. */
function sourceOf(target: string, isIndex: boolean): string {
  if (/^(?:https?:|#)/.test(target)) return target;
  const own = target.replace(/^\.\.\/monitoring\//, "");
  if (own.startsWith(INDEX)) return own.replace(INDEX, "../manual.md");
  return isIndex ? `manual/${own}` : own;
}

/** @param leadTo takes the target of a link, and returns that of the page */
function rendered(text: string, leadTo: (target: string) => string) {
  const headings: Heading[] = [];
  const marked = new Marked({
    // What looks like an address in a text is an example.
    tokenizer: { url: () => undefined },
    walkTokens: (token) => {
      if (token.type === "link" || token.type === "image") token["href"] = leadTo(String(token["href"]));
    },
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading) {
        const id = anchorOf(words);
        if (depth === 2 || depth === 3) headings.push({ id, depth, html: this.parser.parseInline(tokens) });
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // What is wider than the page is moved by keys as well.
      code: ({ text: code }: Tokens.Code) =>
        `<pre tabindex="0"><code>${Bun.escapeHTML(code)}\n</code></pre>\n`,
      table({ header, rows }: Tokens.Table) {
        const cells = (row: readonly Tokens.TableCell[], name: string) =>
          row.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join("");
        const body = rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        // Without words it is no head.
        const hasHead = header.some(({ text: words }) => words !== "");
        const head = hasHead ? `<thead><tr>${cells(header, "th")}</tr></thead>\n` : "";
        return `<div class="table" tabindex="0"><table>\n${head}<tbody>\n${body}\n</tbody>\n</table></div>\n`;
      },
    },
  });
  return { content: marked.parse(text, { async: false }), headings };
}

/** What a link to a heading ends with, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(/\s/g, "-");
}
