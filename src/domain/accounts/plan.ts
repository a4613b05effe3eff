/** The plans of accounts; they decide the limits. */
export const PLANS = ["free", "pro", "team"] as const;
/** One of `PLANS`. */
export type Plan = (typeof PLANS)[number];
