import { type Plan, PLANS } from "../../src/domain/accounts/roles.ts";
import { call } from "./api/api.ts";
import type { ServerReport, Setting } from "./api/types.ts";
import { placeName } from "./browser/title.ts";

export async function getServer(signal: AbortSignal): Promise<ServerReport> {
  return (await call<{ data: ServerReport }>("GET", "/v0/server", { signal })).data;
}

/** Has a backup made; the server's report says when it is done. */
export function startBackup(): Promise<unknown> {
  return call("POST", "/v0/server/backups", { body: {} });
}

/** Changes a setting: to a text as its flag takes it, or with null back to the default. */
export async function changeSetting(
  { name }: Pick<Setting, "name">,
  text: string | null,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { data } = await call<{ data: readonly Setting[] }>("PATCH", "/v0/server", {
    body: { [name]: text },
    headers,
  });
  const named = data.find((setting) => setting.name === "name");
  if (named?.value !== undefined && named.value !== null) placeName.value = named.value;
}

/** What holds: the default, where nothing else is said. */
export function valueOf({
  value,
  default_value: fallback,
}: Pick<Setting, "value" | "default_value">): string {
  return value ?? fallback;
}

/** What a setting with a value for each plan says: `free=60,pro=300`. A plan that it does not name is not in it. */
export function valuesOfPlans(text: string): Readonly<Partial<Record<Plan, string>>> {
  const items = text.split(",").map((item) => item.trim().split("="));
  return Object.fromEntries(
    PLANS.flatMap((plan) => {
      const value = items.find(([name]) => name === plan)?.[1];
      return value === undefined ? [] : [[plan, value]];
    }),
  );
}

/** The text of such a setting. A plan without a value is left out; null if none has one. */
export function textOfPlans(values: Readonly<Record<Plan, string>>): string | null {
  const items = PLANS.flatMap((plan) =>
    values[plan].trim() === "" ? [] : [`${plan}=${values[plan].trim()}`],
  );
  return items.length === 0 ? null : items.join(",");
}
