const OUTCOMES = ["cancelled", "expired", "failed"] as const;

/** Why a sign-in at the provider did not succeed. */
export interface SignInReturn {
  readonly outcome: (typeof OUTCOMES)[number];
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
}

/** Anybody can send anybody an address, so that no sentence from one is shown. */
const REQUEST_ID = /^[\w=.:-]{1,128}$/;

/**
 * Reads the outcome of a sign-in from an address, and removes it from there, so that it is shown once. Null where
 * `?sign_in=` is missing or has an unknown value; then the address is not changed.
 */
export function takeSignInReturn({ searchParams: query }: URL): SignInReturn | null {
  const outcome = OUTCOMES.find((each) => each === query.get("sign_in"));
  if (outcome === undefined) return null;
  const request = query.get("request") ?? "";
  query.delete("sign_in");
  query.delete("request");
  return { outcome, requestId: REQUEST_ID.test(request) ? request : undefined };
}
