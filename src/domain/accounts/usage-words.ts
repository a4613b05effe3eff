// The API's schemas take these, for which nothing that uses the runtime may be imported.

/** Who in an account is no key: those signed in, those with a link, and keys without a row of their own. */
export const ACCOUNT_WORDS = ["session", "link", "other"] as const;
/** Who on a server is no user: keys of unclaimed drives, those without a key, and users without a row of their own. */
export const SERVER_WORDS = ["unclaimed", "anonymous", "other"] as const;
/** Who on a server is no key of a user. */
export const SERVER_KEY_WORDS = ["session", ...SERVER_WORDS] as const;
