// What is used of highlight.js, which comes without types in this form.

declare module "@highlightjs/cdn-assets/es/core.min.js" {
  /** Is told what is found, in order. All of the text is added, in the scopes that are open. */
  export interface Emitter {
    /** Of a keyword. */
    startScope(name: string): void;
    endScope(): void;
    /** Of all else. */
    openNode(name: string): void;
    closeNode(): void;
    addText(text: string): void;
    /** @param name its language */
    __addSublanguage(inner: Emitter, name: string): void;
    finalize(): void;
    toHTML(): string;
  }

  /** Gives the grammar of a language, which is for the highlighter alone. */
  export type LanguageFn = (highlighter: object) => object;

  interface Highlighter {
    newInstance(): Highlighter;
    configure(options: { readonly __emitter: new () => Emitter }): void;
    registerLanguage(name: string, language: LanguageFn): void;
    highlight(
      code: string,
      options: { readonly language: string; readonly ignoreIllegals: boolean },
    ): { readonly _emitter: Emitter };
  }

  const highlighter: Highlighter;
  export default highlighter;
}

declare module "@highlightjs/cdn-assets/es/languages/*.min.js" {
  import type { LanguageFn } from "@highlightjs/cdn-assets/es/core.min.js";
  const language: LanguageFn;
  export default language;
}
