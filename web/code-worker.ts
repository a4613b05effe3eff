import { Tokenizer } from "./lib/code/tokenize.ts";
import type { CodeText } from "./lib/code/tokens.ts";

// Begun by `lib/code/read-tokens.ts`: gets texts, and answers the tokens of each, one after the other.
addEventListener("message", ({ data }: MessageEvent<readonly CodeText[]>) => {
  const tokenizer = new Tokenizer();
  for (const code of data) {
    const tokens = tokenizer.tokenize(code);
    postMessage(tokens, { transfer: [tokens.ranges.buffer] });
  }
});
