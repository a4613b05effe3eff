import { Type } from "@sinclair/typebox";
import type { Clock } from "../../process/clock.ts";
import { bucketOf } from "../../domain/accounts/caller.ts";
import { CofferError } from "../../domain/errors.ts";
import type { Services } from "../../services/services.ts";
import { examplePassword } from "../records/account-schemas.ts";
import { givenPassword, newPassword } from "../operation/schema.ts";
import { write } from "../operation/write.ts";
import { ownToken } from "./sessions.ts";
import { SignInThrottle } from "../limits/guess-throttle.ts";

export function password(
  { accounts, knownClients }: Pick<Services, "accounts" | "knownClients">,
  clock: Clock,
) {
  // Without this, a session that was left open could be used to guess the password.
  const throttle = new SignInThrottle("change the password", knownClients, clock);
  return write("POST", "/v0/account/password", {
    operationId: "changePassword",
    tag: "Account",
    summary: "Change your password",
    description:
      "Ends all other sessions of the account; keys keep working. Needs a session: all keys get 403, and so do accounts that sign in at a provider.",
    signedIn: true,
    body: Type.Object({
      current: givenPassword("The current password."),
      password: newPassword("The new password"),
    }),
    example: { current: examplePassword, password: "another one of your own" },
    answers: [
      {
        status: 200,
        description: "The password is changed.",
        json: Type.Object({ data: Type.Object({ changed: Type.Literal(true) }) }),
      },
    ],
    errors: ["STORAGE_FULL"],
    perform: ({ request, context, body, caller }, reply) => {
      const change = { ...body, token: ownToken(request, caller) ?? "" };
      const answer = reply.with(() => ({ json: { data: { changed: true } } }));
      return throttle.attempt(
        { client: context.client, account: bucketOf(caller) },
        () => accounts.changePassword(caller, change, answer),
        (error) => error instanceof CofferError && error.field === "current",
      );
    },
  });
}
