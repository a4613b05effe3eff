import { Type } from "@sinclair/typebox";
import { CofferError, type ErrorCode } from "../../domain/errors.ts";
import type { SignedIn } from "../../services/accounts/sessions.ts";
import type { Browser } from "../../services/accounts/sign-in.ts";
import type { Parts } from "../resources/parts.ts";
import { accountRecord } from "../resources/accounts/users.ts";
import { operation, tagged } from "../operation/route.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { type OriginOf, refuseForeign } from "../gate/origins.ts";
import { RateLimiter } from "../gate/gate.ts";
import type { SignInOptionsRecord } from "../records/account-schemas.ts";
import { accountSchema, examplePassword, signInOptionsSchema } from "../records/account-schemas.ts";
import { givenPassword, newPassword } from "../operation/schema.ts";
import { SESSION_COOKIE, tokenIn } from "../gate/session-cookie.ts";
import {
  FROM_STRANGERS,
  PER_ACCOUNT,
  PER_CLIENT,
  SignInThrottle,
  WINDOW_SECONDS,
} from "../limits/guess-throttle.ts";

interface AuthOptions extends Pick<
  Parts,
  "signIn" | "sessions" | "accounts" | "knownClients" | "oidc" | "refusedAttempts" | "cookies" | "clock"
> {
  readonly originOf: OriginOf;
}

/** Responses about sessions must not be cached, and tokens neither (RFC 6749, 5.1). */
export const NO_STORE = { "cache-control": "no-store" };

const SIGNUPS_PER_HOUR = 20;
const TOO_MANY = "Too many accounts from one address. Try again in {seconds} s.";

const username = Type.String({ maxLength: 64, examples: ["ada"] });
const newUsername = Type.String({
  maxLength: 64,
  description: "3 to 32 of `a-z`, `0-9` and `-`, with a letter or digit at both ends.",
  examples: ["ada"],
});
const token = Type.String({ maxLength: 128, description: "The `token` in the setup link." });

/** How the API description explains the headers of such responses. */
export const UNCACHED = { "Cache-Control": "`no-store`" };
export const SETS_SESSION = {
  "Set-Cookie": `The session: \`${SESSION_COOKIE}\`, with \`HttpOnly\`, \`SameSite=Lax\` and, on https, \`Secure\`.`,
};

const signedIn = {
  description: "Signed in. The session is in the cookie; the browser's previous session has ended.",
  json: Type.Object({ data: accountSchema }),
  headers: { ...UNCACHED, ...SETS_SESSION },
};

/** For a page of another site, and a write without disk space. */
const OWN_ERRORS: readonly ErrorCode[] = ["FORBIDDEN", "STORAGE_FULL"];

/** Signing in and out with passwords. For accounts of a provider see `oidc.ts`. */
export function auth(options: AuthOptions) {
  const { signIn, sessions, accounts, oidc, refusedAttempts, originOf, cookies, clock } = options;
  const throttle = new SignInThrottle("sign in", options.knownClients, clock);
  const signups = new RateLimiter({ clock, windowSeconds: 3600 });
  const welcome = ({ caller, token: secret }: SignedIn) =>
    Response.json(
      { data: accountRecord(accounts.get(caller)) },
      { headers: { ...NO_STORE, "set-cookie": cookies.session(secret) } },
    );

  return tagged("Sign-in", [
    operation("GET", "/auth/options", {
      operationId: "getSignInOptions",
      summary: "List sign-in methods",
      query: Type.Object({}),
      answers: [{ description: "The sign-in methods.", json: signInOptionsSchema, headers: UNCACHED }],
      errors: ["VALIDATION_ERROR"],
      handle: () => {
        const { isNew, isOpen } = signIn.options();
        const provider = oidc === null ? null : { name: oidc.name };
        const answer: SignInOptionsRecord = { setup: isNew, provider, signups: isOpen };
        return Response.json(answer, { headers: NO_STORE });
      },
    }),
    operation("GET", "/auth/setup/check", {
      operationId: "checkSetup",
      summary: "Check a setup link",
      query: Type.Object({ token: Type.Optional(token) }),
      description:
        "Returns whether the setup link can still be used. The server prints the link when it starts, until there is an administrator. An invalid token is not an error.",
      answers: {
        description: "Whether the link is valid.",
        json: Type.Object({ valid: Type.Boolean() }),
        headers: UNCACHED,
      },
      handle: ({ query }) =>
        Response.json({ valid: signIn.isSetupToken(query.token ?? "") }, { headers: NO_STORE }),
    }),
    operation("POST", "/auth/setup", {
      operationId: "setUp",
      summary: "Create the administrator account",
      description:
        "Creates an administrator account on the plan `team`, and signs in. Works only until there is an administrator, even if a provider is configured.",
      body: Type.Object({ token, username: newUsername, password: newPassword("The password") }),
      example: { token: "1a2b3c4d", username: "ada", password: examplePassword },
      audited: true,
      answers: signedIn,
      errors: [...OWN_ERRORS, "NOT_FOUND", "GONE", "RATE_LIMITED"],
      handle: async ({ body, request, context }) => {
        refuseForeign(request, originOf);
        return welcome(
          await signIn.setUp(body.token, body.username, body.password, browserOf(request, context)),
        );
      },
    }),
    operation("POST", "/auth/login", {
      operationId: "logIn",
      summary: "Sign in with a password",
      description: `After ${PER_ACCOUNT} wrong passwords for an account from one client address, or ${PER_CLIENT} for any, within ${WINDOW_SECONDS / 60} minutes, sign-in from there is blocked for the rest of that time. After ${FROM_STRANGERS.free} for one account, from anywhere, each wrong one makes the next wait for ${FROM_STRANGERS.mostMs / 1000} seconds. A client address that has signed in to the account before does not wait for what others guess.`,
      body: Type.Object({ username, password: givenPassword() }),
      example: { username: "ada", password: examplePassword },
      audited: true,
      answers: signedIn,
      errors: [...OWN_ERRORS, "UNAUTHORIZED", "RATE_LIMITED"],
      handle: async ({ body, request, context }) => {
        refuseForeign(request, originOf);
        const { client, origin } = context;
        const session = await throttle
          .attempt(
            { client, account: body.username.toLowerCase() },
            () => signIn.withPassword(body.username, body.password, browserOf(request, context)),
            isWrong,
          )
          .catch((error: unknown) => {
            if (isWrong(error)) refusedAttempts.signIn(body.username, "wrong_password", origin);
            if (isLimited(error)) refusedAttempts.signIn(body.username, "rate_limited", origin);
            throw error;
          });
        return welcome(session);
      },
    }),
    operation("POST", "/auth/signup", {
      operationId: "signUp",
      summary: "Register",
      description: `Creates an account and signs in, if the server allows registration and there is an administrator. At most ${SIGNUPS_PER_HOUR} times an hour from one client address.`,
      body: Type.Object({ username: newUsername, password: newPassword("The password") }),
      example: { username: "carol", password: examplePassword },
      audited: true,
      answers: signedIn,
      errors: [...OWN_ERRORS, "CONFLICT", "RATE_LIMITED"],
      handle: async ({ body, request, context }) => {
        refuseForeign(request, originOf);
        signups.require(context.client, SIGNUPS_PER_HOUR, TOO_MANY);
        return welcome(await signIn.signUp(body.username, body.password, browserOf(request, context)));
      },
    }),
    operation("POST", "/auth/logout", {
      operationId: "logOut",
      summary: "Sign out",
      description: "Ends the session at once and deletes its cookie.",
      readsSession: true,
      audited: true,
      answers: {
        description: "Signed out, or there was no session.",
        json: Type.Object({ data: Type.Object({ signed_out: Type.Literal(true) }) }),
        headers: { ...UNCACHED, "Set-Cookie": `Deletes \`${SESSION_COOKIE}\`.` },
      },
      errors: OWN_ERRORS,
      handle: async ({ request, context }) => {
        refuseForeign(request, originOf);
        const secret = tokenIn(request, SESSION_COOKIE);
        if (secret !== null) await sessions.end(secret, context.origin);
        const headers = { ...NO_STORE, "set-cookie": cookies.clear(SESSION_COOKIE) };
        return Response.json({ data: { signed_out: true } }, { headers });
      },
    }),
  ]);
}

/** Whether a name or a password was wrong. */
function isWrong(error: unknown): boolean {
  return error instanceof CofferError && error.code === "UNAUTHORIZED";
}

function isLimited(error: unknown): boolean {
  return error instanceof CofferError && error.code === "RATE_LIMITED";
}

export function browserOf(request: Request, { origin }: Pick<RequestContext, "origin">): Browser {
  return {
    origin,
    previous: tokenIn(request, SESSION_COOKIE),
  };
}
