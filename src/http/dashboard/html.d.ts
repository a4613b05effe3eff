declare module "*.html" {
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
