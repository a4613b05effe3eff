/** The plans of accounts; they decide the limits. */
export const PLANS = ["free", "pro", "team"] as const;
export type Plan = (typeof PLANS)[number];
