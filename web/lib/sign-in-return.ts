const OUTCOMES = ["cancelled", "expired", "failed"] as const;

/** How a sign-in at the provider ended, for a person that is not signed in after it. */
export interface SignInReturn {
  readonly outcome: (typeof OUTCOMES)[number];
  /** What finds it in the server's log. */
  readonly requestId: string | undefined;
}

/** Anybody can make somebody open an address: no sentences out of it. */
const REQUEST_ID = /^[\w=.:-]{1,128}$/;

/**
 * Takes what the server says with `?sign_in=` out of an address's query, so that it is told once; null where
 * that says nothing the server would, and the address stays as it is.
 */
export function takeSignInReturn({ searchParams: query }: URL): SignInReturn | null {
  const outcome = OUTCOMES.find((each) => each === query.get("sign_in"));
  if (outcome === undefined) return null;
  const request = query.get("request") ?? "";
  query.delete("sign_in");
  query.delete("request");
  return { outcome, requestId: REQUEST_ID.test(request) ? request : undefined };
}
