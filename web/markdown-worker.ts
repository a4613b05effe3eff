import { parseMarkdown } from "./lib/markdown/parse.ts";

// Begun by `lib/markdown/format.ts` for one document: gets its text, and answers its blocks or null.
addEventListener("message", ({ data }: MessageEvent<string>) => postMessage(parseMarkdown(data)));
