import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "../../..");

/** A fenced block of code. */
export interface Block {
  /** What stands behind the opening fence, such as `sh`; empty if nothing does. */
  readonly language: string;
  /** With a line break at the end. */
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
}

/** A text for people who use or run Coffer. */
export interface Guide {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
}

export const README = "README.md";

/** The pages of the manual, from the root of the project, in the order of their names. */
export const MANUAL_PAGES: readonly string[] = [
  ...new Bun.Glob(".github/docs/*.md").scanSync({ cwd: ROOT, dot: true }),
].toSorted();

/** @param path from the root of the project */
export async function guideOf(path: string): Promise<Guide> {
  const text = await Bun.file(join(ROOT, path)).text();
  return { path, text, blocks: [...blocksIn(text)] };
}

function* blocksIn(text: string): Generator<Block> {
  for (const { 1: language = "", 2: code = "", index } of text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)) {
    yield { language, text: code, line: text.slice(0, index).split("\n").length };
  }
}
