/** Why something was refused: the `reason` in the detail of its event, by what was tried. See `MORE_REFUSED`. */
export const REFUSAL_REASONS = {
  "session.created": [
    "wrong_password",
    "unknown_user",
    "disabled",
    "rate_limited",
    "provider",
    "too_many_refusals",
  ],
  "password.changed": ["wrong_password", "too_many_refusals"],
  "key.used": ["revoked", "expired", "disabled", "too_many_refusals"],
  "admin.requested": ["forbidden", "too_many_refusals"],
} as const;

export type RefusedAction = keyof typeof REFUSAL_REASONS;
export type RefusalReason<A extends RefusedAction> = (typeof REFUSAL_REASONS)[A][number];

/** The reason in an event that stands for refusals of one action, whatever their reasons: more than have one each. */
export const MORE_REFUSED = "too_many_refusals";

/** Why a session ended, where nobody asked for that alone: somebody signed in in its browser. */
export const SESSION_END_REASON = "new_sign_in";

/** Why the server ended the access of an application: something that works once was used again. */
export const GRANT_END_REASONS = ["code_used_again", "token_used_again"] as const;
export type GrantEndReason = (typeof GRANT_END_REASONS)[number];
