import type { Sides } from "./lib/editing/merge.ts";
import { mergeTexts } from "./lib/editing/three-way.ts";

// Begun by `lib/editing/ask-merge.ts` for one merge: gets the three texts, and answers its parts or null.
addEventListener("message", ({ data }: MessageEvent<Sides>) => postMessage(mergeTexts(data)));
