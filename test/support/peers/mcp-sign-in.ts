import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from "@modelcontextprotocol/client";

/** An MCP client's side of signing in, with all that it remembers. */
export interface SigningIn extends OAuthClientProvider {
  /** Where the browser is to go. */
  asked: URL | null;
  current: OAuthTokens | undefined;
}

export function newSigningIn(redirectUrl: string): SigningIn {
  let known: OAuthClientInformationMixed | undefined;
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  const me: SigningIn = {
    asked: null,
    current: undefined,
    redirectUrl,
    clientMetadata: {
      client_name: "Official client",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
    },
    state: () => "the client's state",
    clientInformation: () => known,
    saveClientInformation: (client) => void (known = client),
    tokens: () => me.current,
    saveTokens: (tokens) => void (me.current = tokens),
    invalidateCredentials: (scope) => void (scope === "tokens" && (me.current = undefined)),
    redirectToAuthorization: (url) => void (me.asked = url),
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier,
    saveDiscoveryState: (state) => void (discovered = state),
    discoveryState: () => discovered,
  };
  return me;
}

/** The program of a client, which waits on this computer for the browser to come back. */
export function waitForBrowser() {
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
