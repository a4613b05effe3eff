import { CofferError } from "../errors.ts";

/** Error codes of OAuth: RFC 6749 (4.1.2.1 and 5.2), RFC 7591 (3.2.2) and RFC 8707 (2). */
type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_client_metadata"
  | "invalid_grant"
  | "invalid_redirect_uri"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** An error for an OAuth client. The message is shown as it is, as for any `CofferError`. */
export class OAuthError extends CofferError {
  readonly oauthCode: OAuthErrorCode;

  constructor(oauthCode: OAuthErrorCode, message: string) {
    super("VALIDATION_ERROR", message);
    this.oauthCode = oauthCode;
  }
}
