import { expect, test } from "bun:test";
import { Client } from "../../support/server/client.ts";
import { connectMcp } from "../../support/peers/mcp.ts";
import { openStage } from "../../support/server/scenario.ts";

const stage = openStage();

/** Where the start page leads, by the names of its links, with what it says of each. */
function linksIn(page: string): Map<string, { readonly url: string; readonly about: string }> {
  const lines = page.matchAll(/^- \[([^\]]+)\]\(([^)]+)\): (.*)$/gm);
  return new Map(Array.from(lines, ([, name = "", url = "", about = ""]) => [name, { url, about }]));
}

/** The JSON that a sentence has in backticks. */
function jsonIn(text: string): { name: string } {
  return JSON.parse(/`(\{.*?\})`/.exec(text)?.[1] ?? "");
}

test("an agent that knows only the address works over HTTP and MCP, and hands its drive over", async () => {
  const address = stage.coffer.appliance.url;
  const links = linksIn(await (await fetch(address)).text());
  const provision = links.get("Provision") ?? { url: "", about: "" };
  const made = await fetch(provision.url, { method: "POST", body: JSON.stringify(jsonIn(provision.about)) });
  const { data }: { data: { api_key: string; drive_id: string; claim_url: string } } = JSON.parse(
    await made.text(),
  );

  const server = new URL(links.get("MCP")?.url ?? "");
  expect(server.pathname).toBe("/mcp");
  await using one = await connectMcp(server.origin, data.api_key);
  await using other = await connectMcp(server.origin, data.api_key);
  const file = { path: "notes/plan.md" };
  const { etag } = await one.get("write_file", { ...file, text: "one\n" });
  await other.get("write_file", { ...file, text: "one\ntwo\n", if_match: etag });
  // Whoever comes second is told, and loses nothing.
  expect(await one.refused("write_file", { ...file, text: "one\nthree\n", if_match: etag })).toContain(
    "PRECONDITION_FAILED",
  );
  const read = await one.get("read_file", file);
  await one.get("write_file", { ...file, text: "one\ntwo\nthree\n", if_match: read["etag"] });

  // Edits at the same time lose nothing, without a condition.
  const client = new Client(address, data.api_key);
  const query = new URLSearchParams({ drive_id: data.drive_id, ...file }).toString();
  const edits = [
    { op: "str_replace", old_string: "one", new_string: "1" },
    { op: "append", text: "four\n" },
    { op: "str_replace", old_string: "three", new_string: "3" },
  ];
  await Promise.all(edits.map((body) => client.post(`/v0/files/by-path/edit?${query}`, body, 200)));
  const text = "1\ntwo\n3\nfour\n";
  expect((await client.send("GET", `/v0/files/by-path/download?${query}`)).text).toBe(text);

  const token = data.claim_url.slice(data.claim_url.lastIndexOf("/") + 1);
  await stage.world.clients.ada.post("/v0/drives/claim", { token }, 200);
  expect((await stage.world.clients.ada.send("GET", `/v0/files/by-path/download?${query}`)).text).toBe(text);
  expect((await client.send("GET", "/v0/drives")).text).toContain('"slug":"ada/');
});
