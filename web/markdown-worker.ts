import type { DocumentSource } from "./lib/markdown/document.ts";
import { parseNotebook } from "./lib/markdown/notebook.ts";
import { parseMarkdown } from "./lib/markdown/parse.ts";

// Begun by `lib/markdown/format.ts` for one document: gets its text, and answers its blocks or null.
addEventListener("message", ({ data: { format, text } }: MessageEvent<DocumentSource>) => {
  postMessage(format === "notebook" ? parseNotebook(text) : parseMarkdown(text));
});
