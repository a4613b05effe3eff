import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from "@modelcontextprotocol/client";

/** An MCP client's side of signing in, with all that it remembers. */
export class SigningIn implements OAuthClientProvider {
  /** Where the browser is to go. */
  asked: URL | null = null;
  current: OAuthTokens | undefined;
  readonly redirectUrl: string;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = "";
  #discovered: OAuthDiscoveryState | undefined;

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: "Official client",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
    };
  }

  state(): string {
    return "the client's state";
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }

  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.current;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.current = tokens;
  }

  invalidateCredentials(scope: string): void {
    if (scope === "tokens") this.current = undefined;
  }

  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }
}

/** The program of a client, which waits on this computer for the browser to come back. */
export interface Waiting extends Disposable {
  readonly redirectUrl: string;
  /** The address that the browser came back to. */
  readonly back: Promise<URL>;
}

/** Waits for a browser to come back. */
export function waitForBrowser(): Waiting {
  const { promise: back, resolve } = Promise.withResolvers<URL>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const url = new URL(request.url);
      if (url.pathname === "/callback") resolve(url);
      return new Response("You are signed in.", { headers: { "content-type": "text/html" } });
    },
  });
  return {
    redirectUrl: `http://127.0.0.1:${server.port}/callback`,
    back,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
