import type { Client } from "./client.ts";

/** A webhook that nothing of these tests is sent to. */
export const HOOK = { url: "https://agent.example/hook", events: ["snapshot.deleted"] };

/** What the parameter of a route is called, by the name before it; others are `id`. */
const PARAMETERS: Readonly<Record<string, string>> = {
  claim: "token",
  deliveries: "did",
  members: "user_id",
  presigned: "token",
  shared: "token",
  snapshots: "sid",
  uploads: "token",
  versions: "n",
  works: "wid",
};

/** The route of the API description of a request such as `GET /v0/files/{file}/versions/1?x=y`. */
export function routeOf(request: string): string {
  const [route = ""] = request.split("?");
  return route.replaceAll(
    /(\w+)\/(?:\{\w+\}|1\b)/g,
    (_, before: string) => `${before}/{${PARAMETERS[before] ?? "id"}}`,
  );
}

/** The same request about `{file}`, which names that by its drive and path. */
export function byPath(request: string, path: string): string {
  const named = request.replace("{file}", "by-path");
  return `${named}${named.includes("?") ? "&" : "?"}drive_id={drive}&path=${path}`;
}

/** Takes a snapshot of a drive. Returns its id. */
export async function takeSnapshot(client: Client, drive: string): Promise<string> {
  return (await client.post<{ data: { id: string } }>(`/v0/drives/${drive}/snapshots`)).data.id;
}

/** Uploads a file and deletes it. Returns its entry in the trash. */
export async function putIntoTrash(client: Client, drive: string, path: string, body = "x"): Promise<string> {
  await client.put(drive, path, body);
  const query = `drive_id=${drive}&path=${path}`;
  return (await client.delete<{ trash_id: string }>(`/v0/files/by-path?${query}`)).trash_id;
}

/** Replaces all webhooks of a caller by one with a delivery: there may be only a few. */
export async function makeWebhook(
  client: Client,
  drive: string,
): Promise<{ webhook: string; delivery: string }> {
  const { data } = await client.get<{ data: { id: string }[] }>("/v0/webhooks");
  for (const { id } of data) await client.delete(`/v0/webhooks/${id}`);
  const { id } = await client.post<{ id: string }>("/v0/webhooks", { ...HOOK, drive_id: drive });
  const sent = await client.post<{ id: string }>(`/v0/webhooks/${id}/test`);
  return { webhook: id, delivery: sent.id };
}
