import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Clock } from "../clock.ts";
import type { Accounts } from "../services/accounts.ts";
import type { Sessions } from "../services/sessions.ts";
import type { Browser, SignedIn, SignIn } from "../services/sign-in.ts";
import { accountRecord, accountSchema } from "./account.ts";
import { rateLimited } from "./errors.ts";
import { operation } from "./operation.ts";
import { type OriginOf, refuseForeign } from "./own-origin.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { type Cookies, SESSION_COOKIE, tokenIn } from "./session-cookie.ts";
import { SignInThrottle } from "./sign-in-throttle.ts";

export interface AuthRoutes {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly accounts: Accounts;
  readonly originOf: OriginOf;
  readonly cookies: Cookies;
  readonly clock: Clock;
}

/** No answer about who is signed in belongs into a cache. */
export const NO_STORE = { "cache-control": "no-store" };

const SIGNUPS_PER_HOUR = 20;
const MAX_CLIENTS = 100_000;

const username = Type.String({ maxLength: 64 });
const password = Type.String({ maxLength: 1024 });
const token = Type.String({ maxLength: 128 });

const signedIn = [
  {
    status: 200,
    description: "Signed in; the session is in the cookie.",
    json: Type.Object({ data: accountSchema }),
  },
];

/** Signing in and out with passwords. Accounts from a provider sign in by `oidc.ts`. */
export function auth({ signIn, sessions, accounts, originOf, cookies, clock }: AuthRoutes) {
  const throttle = new SignInThrottle(clock);
  const signups = new RateLimiter({ clock, windowSeconds: 3600, capacity: MAX_CLIENTS });
  const welcome = ({ caller, token: secret }: SignedIn) =>
    Response.json(
      { data: accountRecord(accounts.get(caller)) },
      { headers: { ...NO_STORE, "set-cookie": cookies.session(secret) } },
    );

  return new Elysia({ name: "auth" })
    .get(
      ...operation(
        "/auth/setup",
        {
          operationId: "checkSetup",
          tag: "Sign-in",
          summary: "Tell whether a setup link can still be used",
          query: Type.Object({ token: Type.Optional(token) }),
          answers: [{ status: 200, description: "Whether.", json: Type.Object({ valid: Type.Boolean() }) }],
        },
        ({ query }) =>
          Response.json({ valid: signIn.isSetupToken(query.token ?? "") }, { headers: NO_STORE }),
      ),
    )
    .post(
      ...operation(
        "/auth/setup",
        {
          operationId: "setUp",
          tag: "Sign-in",
          summary: "Make the first account, and sign in",
          body: Type.Object({ token, username, password }),
          answers: signedIn,
        },
        async ({ body, request }) => {
          refuseForeign(request, originOf);
          return welcome(await signIn.setUp(body.token, body.username, body.password, browserOf(request)));
        },
      ),
    )
    .post(
      ...operation(
        "/auth/login",
        {
          operationId: "logIn",
          tag: "Sign-in",
          summary: "Sign in with a password",
          body: Type.Object({ username, password }),
          answers: signedIn,
        },
        async ({ body, request, context }) => {
          refuseForeign(request, originOf);
          const succeeded = throttle.begin(context.client, body.username);
          const session = await signIn.withPassword(body.username, body.password, browserOf(request));
          succeeded();
          return welcome(session);
        },
      ),
    )
    .post(
      ...operation(
        "/auth/signup",
        {
          operationId: "signUp",
          tag: "Sign-in",
          summary: "Register, and sign in",
          body: Type.Object({ username, password }),
          answers: signedIn,
        },
        async ({ body, request, context }) => {
          refuseForeign(request, originOf);
          const { allowed, resetSeconds } = signups.take(context.client, SIGNUPS_PER_HOUR);
          if (!allowed) throw rateLimited("Too many accounts from one address.", resetSeconds);
          return welcome(await signIn.signUp(body.username, body.password, browserOf(request)));
        },
      ),
    )
    .post(
      ...operation(
        "/auth/logout",
        {
          operationId: "logOut",
          tag: "Sign-in",
          summary: "Sign out",
          answers: [
            {
              status: 200,
              description: "Signed out, or nobody was signed in.",
              json: Type.Object({ data: Type.Object({ signed_out: Type.Literal(true) }) }),
            },
          ],
        },
        async ({ request }) => {
          refuseForeign(request, originOf);
          const secret = tokenIn(request, SESSION_COOKIE);
          if (secret !== null) await sessions.end(secret);
          const headers = { ...NO_STORE, "set-cookie": cookies.clear(SESSION_COOKIE) };
          return Response.json({ data: { signed_out: true } }, { headers });
        },
      ),
    );
}

/** The browser that signs in, as sign-in needs to know it. */
export function browserOf(request: Request): Browser {
  return {
    userAgent: request.headers.get("user-agent") ?? "",
    previous: tokenIn(request, SESSION_COOKIE),
  };
}
