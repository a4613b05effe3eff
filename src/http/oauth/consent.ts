import { Type } from "@sinclair/typebox";
import { documentHost } from "../../domain/oauth/oauth-client-id.ts";
import type { AuthorizationRequest } from "../../domain/oauth/oauth-request.ts";
import { redirectTarget } from "../../domain/oauth/redirect-uri.ts";
import { type Authorizations, REQUEST_LIFETIME_MS } from "../../services/oauth/authorizations.ts";
import { operation } from "../operation/route.ts";
import { type AuthorizationRecord, authorizationSchema } from "../records/account-schemas.ts";
import { driveRef, nullable, scope, text } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

const params = Type.Object({
  id: Type.String({ description: "The `request` in the address of the page.", maxLength: 128 }),
});

const exampleAuthorization: AuthorizationRecord = {
  client_id: "https://app.example.com/client.json",
  client_name: "Example App",
  client_host: "app.example.com",
  redirect: { kind: "site", name: "app.example.com" },
  scope: "read-write",
};

function authorizationRecord(request: AuthorizationRequest): AuthorizationRecord {
  const redirect = redirectTarget(request.redirectUri);
  if (redirect === null) throw new Error("a registered redirect URI leads nowhere");
  return {
    client_id: request.clientId,
    client_name: request.clientName,
    client_host: documentHost(request.clientId),
    redirect,
    scope: request.scope,
  };
}

/** How a person decides about an application that asks for access. */
export function consent(authorizations: Authorizations) {
  return [
    operation("GET", "/v0/oauth/requests/:id", {
      operationId: "getAuthorizationRequest",
      tag: "Applications",
      summary: "Show what an application asks for",
      description: `For the page that asks the person. An application begins a request at \`/oauth/authorize\`; it can be decided for ${REQUEST_LIFETIME_MS / 60_000} minutes.`,
      signedIn: true,
      params,
      answers: [
        {
          status: 200,
          description: "The request.",
          json: Type.Object({ data: authorizationSchema }),
          example: { data: exampleAuthorization },
        },
      ],
      errors: ["FORBIDDEN", "NOT_FOUND"],
      handle: ({ params: { id }, caller }) =>
        Response.json({ data: authorizationRecord(authorizations.request(caller, id)) }),
    }),
    write("POST", "/v0/oauth/requests/:id", {
      operationId: "decideAuthorizationRequest",
      tag: "Applications",
      summary: "Let an application in, or turn it away",
      description:
        "Needs a session: keys cannot let others in. A request can be decided once. The application gets a key that is listed and revoked with the others.",
      signedIn: true,
      params,
      body: Type.Object({
        allow: Type.Boolean(),
        scope: Type.Optional(scope("Default: what the application asks for. Not more than that.")),
        drive_id: Type.Optional(nullable(driveRef("Limits the application to this drive."))),
      }),
      example: { allow: true },
      answers: [
        {
          status: 200,
          description: "The request is decided.",
          json: Type.Object({
            data: Type.Object({ redirect_to: text("Where to send the browser, at once.") }),
          }),
          example: { data: { redirect_to: "https://app.example.com/callback?code=1a2b3c4d" } },
        },
      ],
      errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
      perform: ({ params: { id }, body, caller }, reply) => {
        const within = reply.with((to: string) => ({ json: { data: { redirect_to: to } } }));
        if (!body.allow) return authorizations.deny(caller, id, within);
        const wanted = body.scope ?? authorizations.request(caller, id).scope;
        return authorizations.allow(
          caller,
          id,
          { scope: wanted, driveId: body.drive_id ?? undefined },
          within,
        );
      },
    }),
  ];
}
