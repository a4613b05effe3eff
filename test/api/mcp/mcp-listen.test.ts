import { afterAll, describe, expect } from "bun:test";
import { PassThrough } from "node:stream";
import { startAppliance } from "../../support/server/appliance.ts";
import { connectMcp, type McpClient } from "../../support/peers/mcp.ts";
import { type OwnDrive, provision } from "../../support/server/scenario.ts";
import { testWith } from "../../support/server/test-with.ts";

const coffer = await startAppliance({}, { streamCommentMs: 50 });
afterAll(() => coffer[Symbol.asyncDispose]());

function write({ client, id }: OwnDrive, path: string, body: string) {
  return client.put(id, path, body);
}

const uriOf = ({ id }: OwnDrive, path: string) => `coffer://${id}/${path}`;

/** What a client is told, one at a time; `tell` adds to that. */
function heard({ client }: McpClient) {
  const told = new PassThrough({ objectMode: true });
  const tell = (what: string) => void told.write(what);
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => tell(params.uri));
  client.setNotificationHandler("notifications/resources/list_changed", () => tell("list"));
  const each = told[Symbol.asyncIterator]();
  return { tell, next: async () => String((await each.next()).value) };
}

/** A drive, a client with a key that its agent made, and what that is told. */
const it = testWith(async () => {
  const own = await provision(coffer);
  const made = await own.client.makeKey();
  const mcp = await connectMcp(coffer.appliance.url, made.key);
  return Object.assign(mcp, { own, keyId: made.id, ...heard(mcp) });
});

describe("a client that listens", () => {
  it("is told when its resources change, by the names that it chose", async ({ own, client, next }) => {
    const file = await write(own, "a b.txt", "one");
    const uri = uriOf(own, "a%20b.txt");
    const later = uriOf(own, "later.txt");
    const listening = await client.listen({ resourceSubscriptions: [uri, later] });
    await write(own, "other.txt", "x");
    await own.client.store(own.id, "a b.txt", "two");
    expect(await next()).toBe(uri);
    await own.client.patch(`/v0/files/${file.id}`, { path: "later.txt" });
    expect(new Set([await next(), await next()])).toEqual(new Set([uri, later]));
    await listening.close();
  });

  it("is told when the list of files changes, and of a folder's change as of each file in it", async (mcp) => {
    const { own, client, next } = mcp;
    const listing = await client.listen({ resourcesListChanged: true });
    await write(own, "f/g/a.txt", "one");
    // Once for what came together.
    expect(await next()).toBe("list");
    await listing.close();
    const uri = uriOf(own, "f/g/a.txt");
    const listening = await client.listen({ resourceSubscriptions: [uri, uriOf(own, "h.txt")] });
    await own.client.delete("/v0/folders", { drive_id: own.id, path: "f/", confirm: true });
    expect(await next()).toBe(uri);
    await listening.close();
  });

  it("is told of a folder when anything in it changes, and can read what is in there", async (mcp) => {
    const { own, client, next } = mcp;
    const [top, folder, other] = ["", "f/", "g/"].map((path) => uriOf(own, path));
    if (top === undefined || folder === undefined) throw new Error("no folders");
    await write(own, "g/a.txt", "one");
    const inFolder = await client.listen({ resourceSubscriptions: [folder, String(other)] });
    await write(own, "b.txt", "one");
    await write(own, "f/g/a.txt", "one");
    expect(await next()).toBe(folder);
    await write(own, "f/b.txt", "one");
    expect(await next()).toBe(folder);
    await inFolder.close();
    const { contents } = await client.readResource({ uri: folder });
    expect(contents).toMatchObject([{ uri: folder, text: "f/g/\nf/b.txt" }]);
    const anywhere = await client.listen({ resourceSubscriptions: [top] });
    await own.client.delete("/v0/folders", { drive_id: own.id, path: "f/", confirm: true });
    expect(await next()).toBe(top);
    expect(client.readResource({ uri: folder })).rejects.toThrow("NOT_FOUND");
    expect(await client.readResource({ uri: top })).toMatchObject({ contents: [{ text: "g/\nb.txt" }] });
    await anywhere.close();
  });

  it("cannot listen to what it may not read, and not any more once its key is revoked", async (mcp) => {
    const { own, client, next } = mcp;
    const other = await provision(coffer);
    await write(other, "a.txt", "one");
    for (const uri of [uriOf(other, "a.txt"), "file:///etc/passwd"])
      expect(client.listen({ resourceSubscriptions: [uri] })).rejects.toThrow();
    const listening = await client.listen({ resourceSubscriptions: [uriOf(own, "a.txt")] });
    await own.client.delete(`/v0/keys/${mcp.keyId}`);
    await write(own, "a.txt", "secret");
    await listening.closed;
    mcp.tell("the end");
    expect(await next()).toBe("the end");
  });
});
