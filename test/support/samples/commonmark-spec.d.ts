declare module "commonmark-spec" {
  /** The examples of the specification, in order, counting from 1; a tab in them is written as an arrow. */
  export const tests: readonly {
    readonly number: number;
    readonly section: string;
    readonly markdown: string;
    readonly html: string;
  }[];
}
