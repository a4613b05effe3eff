import bundle from "swagger-ui-dist/swagger-ui-bundle.js" with { type: "file" };
import styles from "swagger-ui-dist/swagger-ui.css" with { type: "file" };
import icon16 from "swagger-ui-dist/favicon-16x16.png" with { type: "file" };
import icon32 from "swagger-ui-dist/favicon-32x32.png" with { type: "file" };

interface Asset {
  readonly name: string;
  readonly type: string;
  /** Reads the whole file; the largest has 1.5 MB. */
  readonly read: () => Promise<Uint8Array<ArrayBuffer>>;
}

/** The page at `/docs`. Its links are relative, so that it also works under a proxy's path prefix. */
export const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Coffer API</title>
    <link rel="icon" type="image/png" sizes="32x32" href="docs/favicon-32x32.png">
    <link rel="icon" type="image/png" sizes="16x16" href="docs/favicon-16x16.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <noscript>This page needs JavaScript. The description itself is <a href="docs/openapi.json">openapi.json</a>.</noscript>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/init.js"></script>
  </body>
</html>
`;

/**
 * Sends requests to the address of this page: the browser may not be able to reach the configured base URL, and the
 * page's policy allows no other. Form fields are filled from the example, and empty ones are not sent: by default the
 * page fills in "string" and ticks a box "Send empty value".
 *
 * References are followed here: to do it, Swagger UI would read the whole description anew, at the start and for each
 * operation that is opened, which holds the tab for seconds each time. For the same reason operations are listed once
 * their group is opened, and schemas are shown only where they are used.
 *
 * What an operation answers is put into the page one status after another, so that opening one holds it shortly.
 *
 * The first group is open, so that the first operations are on the first screen. It is as dark as the dashboard: its
 * choice in this browser counts, or else the device's.
 *
 * Descriptions become elements here, of as much Markdown as ours have: Swagger UI would make them of HTML as text,
 * which the page's policy does not let it.
 */
const INIT = `{
  const followed = (value, spec, within = []) => {
    if (Array.isArray(value)) return value.map((each) => followed(each, spec, within));
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...own } = value;
    if (typeof $ref !== "string") {
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, followed(each, spec, within)]));
    }
    if (within.includes($ref)) return value;
    return { ...followed(at($ref.slice(2).split("/"), spec), spec, [...within, $ref]), ...own };
  };
  const at = (path, spec) => path.reduce((value, name) => value?.[name], spec) ?? null;

  const MARKED = /\\x60([^\\x60]+)\\x60|\\*\\*([^*]+)\\*\\*|\\*([^*\\s][^*]*)\\*|\\[([^\\]]+)\\]\\((https?:[^)\\s]+)\\)/;
  const inlines = (h, text) => {
    const found = MARKED.exec(text);
    if (found === null) return [text];
    const [all, code, strong, emphasis, words, href] = found;
    const [name, attributes, inside] =
      code !== undefined ? ["code", {}, [code]]
      : strong !== undefined ? ["strong", {}, inlines(h, strong)]
      : emphasis !== undefined ? ["em", {}, inlines(h, emphasis)]
      : ["a", { href, target: "_blank", rel: "noopener noreferrer" }, [words]];
    const after = inlines(h, text.slice(found.index + all.length));
    return [text.slice(0, found.index), h(name, attributes, ...inside), ...after];
  };
  const block = (h, text) => {
    const items = text.split(/^- /m);
    if (items[0] !== "") return h("p", {}, ...inlines(h, text));
    return h("ul", {}, ...items.slice(1).map((item) => h("li", {}, ...inlines(h, item))));
  };
  const Markdown = (h) => ({ source, className = "" }) => {
    if (typeof source !== "string" || source === "") return null;
    const blocks = source.trim().split(/\\n{2,}/).map((text) => block(h, text));
    // What holds for all operations is long, and they should be in sight at once.
    const [first, ...rest] = blocks;
    const more = () => h("details", {}, h("summary", {}, "More about the API"), ...rest);
    const shown = source === overview ? [first, more()] : blocks;
    return h("div", { className: className + " renderedMarkdown" }, ...shown);
  };

  let overview = null;

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const showAppearance = () => {
    let chosen = null;
    try {
      chosen = localStorage.getItem("coffer:appearance");
    } catch {}
    const isDark = chosen === "dark" || (chosen !== "light" && dark.matches);
    document.documentElement.classList.toggle("dark-mode", isDark);
  };
  showAppearance();
  dark.addEventListener("change", showAppearance);
  addEventListener("storage", showAppearance);

  const waiting = new Set();
  const next = () => waiting.values().next().value?.();
  const inTurn = (Original, { React }) => (props) => {
    const [isShown, setShown] = React.useState(false);
    React.useEffect(() => {
      if (isShown) return;
      const show = () => setShown(true);
      waiting.add(show);
      if (waiting.size === 1) setTimeout(next);
      // Once this one is in the page, or gone before: on a busy machine a timer comes before React has drawn.
      return () => {
        waiting.delete(show);
        setTimeout(next);
      };
    }, [isShown]);
    return isShown ? React.createElement(Original, props) : null;
  };

  fetch("docs/openapi.json")
    .then((response) => response.json())
    .then((spec) => {
      spec.servers = [{ url: new URL(".", location.href).href.replace(/\\/$/, "") }];
      for (const { requestBody } of Object.values(spec.paths).flatMap(Object.values)) {
        const form = requestBody?.content["multipart/form-data"];
        for (const [name, field] of Object.entries(form?.schema.properties ?? {})) {
          if (field.format !== "binary") field.examples = [form.example?.[name] ?? ""];
        }
      }
      overview = spec.info.description;
      const ui = SwaggerUIBundle({
        spec,
        dom_id: "#swagger-ui",
        deepLinking: true,
        persistAuthorization: true,
        tryItOutEnabled: true,
        displayRequestDuration: true,
        validatorUrl: null,
        docExpansion: "none",
        defaultModelsExpandDepth: -1,
        onComplete: () => ui.layoutActions.show(["operations-tag", spec.tags[0].name], true),
        plugins: [
          {
            components: { ParameterIncludeEmpty: () => null },
            wrapComponents: { Markdown: (_, { React }) => Markdown(React.createElement), response: inTurn },
            fn: { resolveSubtree: async (spec, path) => ({ spec: followed(at(path, spec), spec), errors: [] }) },
          },
        ],
      });
    });
}
`;

/** Only the page's own files; Swagger UI's images are data URLs, and its requests go to our own origin. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

export const ASSETS: readonly Asset[] = [
  { name: "swagger-ui.css", type: "text/css; charset=utf-8", read: () => Bun.file(styles).bytes() },
  {
    name: "swagger-ui-bundle.js",
    type: "text/javascript; charset=utf-8",
    read: () => Bun.file(bundle).bytes(),
  },
  { name: "init.js", type: "text/javascript; charset=utf-8", read: () => new Blob([INIT]).bytes() },
  { name: "favicon-16x16.png", type: "image/png", read: () => Bun.file(icon16).bytes() },
  { name: "favicon-32x32.png", type: "image/png", read: () => Bun.file(icon32).bytes() },
];
