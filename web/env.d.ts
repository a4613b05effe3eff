declare module "*.svg" {
  const text: string;
  export default text;
}

interface Window {
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
