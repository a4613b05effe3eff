import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { connectMcp, type McpClient } from "../../support/peers/mcp.ts";
import { type OwnDrive, provision } from "../../support/server/scenario.ts";

let coffer: TestAppliance;
beforeAll(async () => {
  coffer = await startAppliance({}, { streamCommentMs: 50 });
});
afterAll(() => coffer[Symbol.asyncDispose]());

function write({ client, id }: OwnDrive, path: string, body: string) {
  return client.put(id, path, body);
}

const uriOf = ({ id }: OwnDrive, path: string) => `coffer://${id}/${path}`;

/** What a client is told, in order; `next` resolves with one at a time. */
function heard({ client }: McpClient) {
  const told: string[] = [];
  const waiting: ((what: string) => void)[] = [];
  const put = (what: string) => {
    const waiter = waiting.shift();
    if (waiter === undefined) told.push(what);
    else waiter(what);
  };
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => put(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => put("list"));
  return () => {
    const first = told.shift();
    return first === undefined
      ? new Promise<string>((resolve) => waiting.push(resolve))
      : Promise.resolve(first);
  };
}

describe("a client that listens", () => {
  test("is told when its resources change, by the names that it chose", async () => {
    const own = await provision(coffer);
    const file = await write(own, "a b.txt", "one");
    await using mcp = await connectMcp(coffer.appliance.url, own.key);
    const next = heard(mcp);
    const uri = uriOf(own, "a%20b.txt");
    const listening = await mcp.client.listen({ resourceSubscriptions: [uri, uriOf(own, "later.txt")] });
    await write(own, "other.txt", "x");
    await own.client.json(200, "PUT", `/v0/files?drive_id=${own.id}&path=a%20b.txt`, { body: "two" });
    expect(await next()).toBe(uri);
    await own.client.patch(`/v0/files/${file.id}`, { path: "later.txt" });
    expect([await next(), await next()].toSorted()).toEqual([uri, uriOf(own, "later.txt")].toSorted());
    await listening.close();
  });

  test("is told when the list of files changes, once for what came together", async () => {
    const own = await provision(coffer);
    await using mcp = await connectMcp(coffer.appliance.url, own.key);
    const next = heard(mcp);
    const listening = await mcp.client.listen({ resourcesListChanged: true });
    await write(own, "a.txt", "one");
    expect(await next()).toBe("list");
    await listening.close();
  });

  test("hears of a folder's change as of each file in it", async () => {
    const own = await provision(coffer);
    await write(own, "f/g/a.txt", "one");
    await using mcp = await connectMcp(coffer.appliance.url, own.key);
    const next = heard(mcp);
    const listening = await mcp.client.listen({
      resourceSubscriptions: [uriOf(own, "f/g/a.txt"), uriOf(own, "h.txt")],
    });
    await own.client.delete("/v0/folders", { drive_id: own.id, path: "f/", confirm: true });
    expect(await next()).toBe(uriOf(own, "f/g/a.txt"));
    await listening.close();
  });

  test("cannot listen to what it may not read, and not any more once its key is revoked", async () => {
    const own = await provision(coffer);
    const other = await provision(coffer);
    await write(other, "a.txt", "one");
    const made = await own.client.makeKey();
    await using mcp = await connectMcp(coffer.appliance.url, made.key);
    const next = heard(mcp);
    expect(mcp.client.listen({ resourceSubscriptions: [uriOf(other, "a.txt")] })).rejects.toThrow();
    expect(mcp.client.listen({ resourceSubscriptions: ["file:///etc/passwd"] })).rejects.toThrow();
    const listening = await mcp.client.listen({ resourceSubscriptions: [uriOf(own, "a.txt")] });
    await own.client.delete(`/v0/keys/${made.id}`);
    await write(own, "a.txt", "secret");
    await listening.closed;
    expect(await Promise.race([next(), Promise.resolve("nothing")])).toBe("nothing");
  });
});
