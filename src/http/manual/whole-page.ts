/** A heading within a page. */
export interface Heading {
  readonly id: string;
  readonly depth: 2 | 3;
  /** What it says. */
  readonly html: string;
}

interface Page {
  /** Empty for the first page. */
  readonly name: string;
  readonly title: string;
}

interface Content {
  readonly name: string;
  /** HTML, with a heading of the first level. */
  readonly content: string;
  readonly headings: readonly Heading[];
  /** All pages, in order. */
  readonly pages: readonly Page[];
}

/** A page with what is around it. All links are relative, so that it also works under a proxy's path prefix. */
export function wholePage({ name, content, headings, pages }: Content): string {
  const isIndex = name === "";
  // From `/manual`, and from `/manual/{page}`.
  const [root, folder] = isIndex ? ["./", "manual/"] : ["../", ""];
  const title = pages.find((page) => page.name === name)?.title ?? "";
  const addressOf = (page: Page) => (page.name === "" ? `${root}manual` : `${folder}${page.name}`);
  const links = pages.map((page) => {
    const current = page.name === name ? ' aria-current="page"' : "";
    return `<li><a href="${addressOf(page)}"${current}>${Bun.escapeHTML(page.title)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isIndex ? "Coffer: manual" : `${Bun.escapeHTML(title)} - Coffer: manual`}</title>
<link rel="icon" href="${root}icon.svg">
<link rel="stylesheet" href="${folder}manual.css">
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<nav class="pages" aria-label="Pages">
<ul>
${links.join("\n")}
</ul>
<ul>
<li><a href="${root}docs">API description</a></li>
<li><a href="${root}">Dashboard</a></li>
</ul>
</nav>
<main id="content">
${content.trim()}
</main>
${headings.length > 1 ? contents(headings) : ""}
</body>
</html>
`;
}

function contents(headings: readonly Heading[]): string {
  const items = headings.map(
    ({ id, depth, html }) => `<li class="depth-${depth}"><a href="#${id}">${html}</a></li>`,
  );
  return `<nav class="contents" aria-labelledby="contents">
<h2 id="contents">On this page</h2>
<ul>
${items.join("\n")}
</ul>
</nav>`;
}
