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
  /** In a service worker. */
  readonly registration: ServiceWorkerRegistration;
  /** In a service worker. */
  skipWaiting(): Promise<void>;
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

/** What a service worker hears. TypeScript knows it only where there is no window. */
interface WindowEventMap {
  readonly install: InstallEvent;
  readonly fetch: FetchEvent;
}

interface InstallEvent extends Event {
  /** Absent in many browsers. */
  addRoutes?(
    routes: readonly [
      {
        readonly condition: { readonly not: { readonly requestMode: RequestMode } };
        readonly source: "network";
      },
    ],
  ): Promise<void>;
}

interface FetchEvent extends Event {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}
