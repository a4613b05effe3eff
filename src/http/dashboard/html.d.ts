declare module "*.html" {
  /** The page's path and, in the executable, the bundled files that are embedded in it; from source there are none. */
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
