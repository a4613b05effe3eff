import { CofferError, type ErrorCode } from "../../domain/errors.ts";

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: { reveal(): string };
  /** The subjects of the administrators. A provider never reuses a subject. */
  readonly admins: readonly string[];
}

/** A sign-in that ended without an error: the user cancelled it, or it expired. */
export class SignInEnded extends CofferError {
  readonly outcome: "cancelled" | "expired";

  constructor(outcome: "cancelled" | "expired", code: ErrorCode, message: string) {
    super(code, message);
    this.outcome = outcome;
  }
}

/** What must match when the provider redirects the browser back. */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  readonly verifier: string;
}
