declare module "*.html" {
  /** The page's path and, in the executable, its embedded bundle; `files` is absent when run from source. */
  const bundle: {
    readonly index: string;
    readonly files?: readonly {
      readonly path: string;
      readonly loader: string;
      readonly headers: { readonly "content-type": string };
    }[];
  };
  export default bundle;
}

declare module "*.svg" {
  const text: string;
  export default text;
}
