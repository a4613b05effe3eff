import { expect, test } from "bun:test";
import { serve } from "../support/server/executable.ts";
import { connectMcp, REVISIONS } from "../support/peers/mcp.ts";

test("the executable serves the official client over both revisions, from nothing but its address", async () => {
  await using server = await serve();
  for (const revision of REVISIONS) {
    await using anybody = await connectMcp(server.url, undefined, revision);
    const { api_key: key } = await anybody.get("provision_drive", { name: revision });
    await anybody.get("write_file", { api_key: key, path: "first.md", text: "by its argument" });
    await using me = await connectMcp(server.url, String(key), revision);
    expect(await me.get("read_file", { path: "first.md" })).toMatchObject({ text: "by its argument" });
    const made = await me.get("write_file", { path: "notes/a.md", text: "one\ntwo\n" });
    expect(await me.get("read_file", { path: "notes/a.md", start_line: 2 })).toMatchObject({
      text: "two",
      etag: made["etag"],
    });
    expect(await me.get("grep", { pattern: "^t" })).toMatchObject({
      files: [{ path: "notes/a.md", matches: [{ line_number: 2, line: "two" }] }],
    });
    const resource = (await me.client.listResources()).resources.find(({ name }) => name === "a.md");
    const { contents } = await me.client.readResource({ uri: resource?.uri ?? "" });
    expect(contents).toMatchObject([{ text: "one\ntwo\n" }]);
  }
  expect(await server.stop()).toBe(0);
  expect(server.stdout.text).toContain("tools/call write_file");
  expect(server.stdout.text).not.toMatch(/cof_[0-9a-f]{24}/);
});
