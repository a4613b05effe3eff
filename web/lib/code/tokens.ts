/** What a piece of code is, and so which colour it has. */
export type TokenKind =
  "comment" | "keyword" | "string" | "number" | "name" | "type" | "meta" | "heading" | "added" | "removed";

/** The tokens of a text that have a colour; it is plain data, as it comes from a worker. */
export interface CodeTokens {
  readonly kinds: readonly TokenKind[];
  /** Of each token where it starts, where it ends and its index in `kinds`, one after the other. In order, none in another. */
  readonly ranges: Uint32Array<ArrayBuffer>;
}

/** A text in one of the languages that `languages.ts` names. */
export interface CodeText {
  readonly text: string;
  readonly language: string;
}
