import type { Client, Json } from "../server/client.ts";

/** What routes about the past of a drive, and about who is told or shown of it, take in their paths. */
export type HistoryIds = Readonly<
  Record<"snapshot" | "work" | "trash" | "listedLink" | "share" | "member" | "webhook" | "delivery", string>
>;

const HOOK = { url: "https://agent.example/hook", events: ["snapshot.deleted"] };

interface Made {
  readonly id: string;
}

/**
 * Makes what a route takes, and no more, in a drive with a file `dir/file.txt`: a version of that, and for each name that
 * is in the route's template one thing. The file that is deleted is another one.
 */
export async function makeHistory(
  client: Client,
  drive: string,
  template: string,
  username: string,
): Promise<Partial<HistoryIds>> {
  const post = <T>(path: string, body?: Json) =>
    client.json<T>(201, "POST", path, body === undefined ? {} : { body });
  const file = (path: string) => `/v0/files?drive_id=${drive}&path=${path}`;
  if (/versions|diff/.test(template))
    await client.json(200, "PUT", file("dir/file.txt"), { body: "Another" });
  if (template.includes("{sid}")) {
    const { data } = await post<{ data: Made }>(`/v0/drives/${drive}/snapshots`);
    return { snapshot: data.id };
  }
  if (template.startsWith("/v0/trash")) {
    await client.json(201, "PUT", file("gone.txt"), { body: "x" });
    const path = `/v0/files/by-path?drive_id=${drive}&path=gone.txt`;
    return { trash: (await client.delete<{ trash_id: string }>(path)).trash_id };
  }
  if (template.includes("{user_id}")) {
    await post(`/v0/drives/${drive}/members`, { username, role: "reader" });
    const path = `/v0/drives/${drive}/members`;
    const { data } = await client.get<{ data: { user_id: string }[] }>(path);
    return { member: data[0]?.user_id ?? "" };
  }
  if (/^\/v0\/(links|shared)/.test(template)) {
    const body = {
      drive_id: drive,
      path: "dir/",
      ...(template.endsWith("/unlock") ? { password: "ada's password" } : {}),
    };
    const link = await post<Made & { token: string }>("/v0/links", body);
    return { listedLink: link.id, share: link.token };
  }
  return template.startsWith("/v0/webhooks") ? makeWebhook(client) : {};
}

/** A webhook with a delivery, instead of those from before: there may be only a few. */
async function makeWebhook(client: Client): Promise<Partial<HistoryIds>> {
  const { data } = await client.get<{ data: Made[] }>("/v0/webhooks");
  for (const { id } of data) await client.delete(`/v0/webhooks/${id}`);
  const { id } = await client.post<Made>("/v0/webhooks", HOOK);
  const sent = await client.post<Made>(`/v0/webhooks/${id}/test`);
  return { webhook: id, delivery: sent.id };
}
