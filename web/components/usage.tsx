import { later } from "./later.tsx";

/** What was done in the account by day and key, and what its storage is used for. */
export const AccountUsage = later(async () => (await import("./charts/account-usage.tsx")).AccountUsage);

/** What was done on the server by day and user or key, and what its storage is used for; for its administrators. */
export const ServerUsage = later(async () => (await import("./charts/server-usage.tsx")).ServerUsage);
