declare module "*.svg" {
  const text: string;
  export default text;
}

declare module "*.css" {
  const text: string;
  export default text;
}

interface Window {
  /** In a worker, whose scope TypeScript takes for a window's. */
  readonly fonts: FontFaceSet;
  /** Absent in older browsers; unknown to TypeScript. */
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { readonly createScriptURL: (text: string) => string },
    ): {
      /** Not a URL, but taken where one is. */
      createScriptURL(text: string): URL;
    };
  };
}
