import { createServer, type RequestListener } from "node:http";
import { Provider } from "oidc-provider";
import type { CookieJar, Visit } from "../server/cookie-jar.ts";

/** The credentials of the client at the provider. */
export const CLIENT = { id: "coffer", secret: "the client's secret" };

/** The settings of a server that signs people in with a provider, by variable. */
export function providerSettings({ issuer }: Pick<RealProvider, "issuer">): Record<string, string> {
  return {
    COFFER_OIDC_ISSUER: issuer,
    COFFER_OIDC_CLIENT_ID: CLIENT.id,
    COFFER_OIDC_CLIENT_SECRET: CLIENT.secret,
  };
}

/** The claims about each login, in addition to `sub`, which is the login itself. */
const PROFILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "sub-ada": { preferred_username: "Ada", name: "Ada Lovelace", email: "ada@example.com" },
  "sub-other-ada": { preferred_username: "ada", name: "Another Ada", email: "ada@example.com" },
  "sub-mail": { email: "Grace.Hopper@example.com", name: "Grace" },
  "sub-nameless": {},
};

/** A certified OpenID Connect provider on loopback, with its own sign-in pages. */
export interface RealProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Starts to serve a client with this redirect URI. */
  open(redirectUri: string): void;
}

const unavailable: RequestListener = (_, response) => void response.writeHead(503).end();

/** Reserves a port. Requests before `open` get 503. */
export async function startRealProvider(): Promise<RealProvider> {
  let answer = unavailable;
  const server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the provider has no port");
  const issuer = `http://127.0.0.1:${address.port}`;
  return {
    issuer,
    open: (redirectUri) => {
      const provider = new Provider(issuer, {
        clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
        claims: {
          openid: ["sub"],
          profile: ["name", "nickname", "preferred_username"],
          email: ["email", "email_verified"],
        },
        findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...PROFILES[sub], sub }) }),
        pkce: { required: () => true },
        cookies: { keys: ["a key for the test's cookies"] },
        ttl: {
          AccessToken: 600,
          AuthorizationCode: 60,
          Grant: 600,
          IdToken: 600,
          Interaction: 600,
          Session: 600,
        },
      });
      answer = (request, response) => void provider.callback()(request, response);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

/**
 * Signs in on the provider's pages. Returns the callback address that the provider redirects to, without requesting it.
 */
export async function signInThere(jar: CookieJar, start: string, login: string): Promise<URL> {
  let visit: Visit = await jar.visit(start, {}, (next) => !isCallback(next));
  for (let page = 0; page < 3 && !isCallback(visit.url); page += 1) {
    const fields: Record<string, string> = visit.text.includes('name="login"')
      ? { login, password: "anything" }
      : {};
    visit = await jar.submit(visit, fields, (next) => !isCallback(next));
  }
  if (!isCallback(visit.url)) throw new Error(`the provider kept us:\n${visit.text}`);
  return visit.url;
}

/** Of Coffer, which may be under a path of its host. */
function isCallback({ pathname }: URL): boolean {
  return pathname.endsWith("/auth/oidc/callback");
}
