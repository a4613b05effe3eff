import { expect, test } from "bun:test";
import { connectMcp, type McpClient, REVISIONS } from "../../support/peers/mcp.ts";
import { openStage } from "../../support/server/scenario.ts";

const stage = openStage();

const connect = (who: "ada" | "agent" | "adaReader" | "bob") =>
  connectMcp(stage.coffer.appliance.url, stage.world.keys[who]);

async function textOf(
  { client }: McpClient,
  name: string,
  args: Record<string, string> = {},
): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: args });
  const [message] = messages;
  if (messages.length !== 1 || message?.content.type !== "text") throw new Error("a prompt is one text");
  return message.content.text;
}

test.each(REVISIONS)("over %s there are prompts, which name tools that there are", async (revision) => {
  await using me = await connectMcp(stage.coffer.appliance.url, stage.world.keys.ada, revision);
  const { prompts } = await me.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["tidy_drive", "what_changed", "catch_up"]);
  const tools = (await me.client.listTools()).tools.map(({ name }) => name);
  for (const { name, arguments: taken = [] } of prompts) {
    const given = Object.fromEntries(taken.map((each) => [each.name, `the "${each.name}"`]));
    const text = await textOf(me, name, given);
    const named = Array.from(text.matchAll(/`(\w+)`/g), ([, tool = ""]) => tool);
    expect(named.length).toBeGreaterThan(2);
    expect(tools).toEqual(expect.arrayContaining(named));
    for (const value of Object.values(given)) expect(text).toContain(JSON.stringify(value));
  }
});

test("what is left out has a default, and what is wrong is told", async () => {
  await using ada = await connect("ada");
  expect(await textOf(ada, "what_changed")).toContain('since: "1d"');
  expect(await textOf(ada, "tidy_drive")).toStartWith("Tidy my drive.");
  expect(textOf(ada, "catch_up")).rejects.toThrow("folder is required");
  expect(textOf(ada, "rm")).rejects.toThrow("see prompts/list");
  // Whoever can only read is not asked to tidy.
  await using reader = await connect("adaReader");
  const { prompts } = await reader.client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(["what_changed", "catch_up"]);
  expect(textOf(reader, "tidy_drive")).rejects.toThrow("see prompts/list");
});

async function complete({ client }: McpClient, name: string, value: string, given = {}): Promise<string[]> {
  const ref = { type: "ref/prompt" as const, name: "tidy_drive" };
  const { completion } = await client.complete({
    ref,
    argument: { name, value },
    context: { arguments: given },
  });
  return completion.values;
}

test("their arguments are completed by what the caller sees", async () => {
  await using agent = await connect("agent");
  await agent.get("write_file", { path: "inbox/a.txt", text: "" });
  expect(await complete(agent, "folder", "in")).toEqual(["inbox/"]);
  await using bob = await connect("bob");
  await stage.world.clients.bob.makeDrive("Other");
  expect(await complete(bob, "drive", "bob/o")).toEqual(["bob/other"]);
  expect(await complete(bob, "drive", "ada")).toEqual([]);
  expect(await complete(bob, "folder", "", { drive: "bob/notes" })).toEqual(["notes/"]);
  expect(await complete(bob, "folder", "")).toEqual([]);
  expect(await complete(bob, "since", "1")).toEqual([]);
  expect(complete(bob, "folder", "", { drive: "ada/notes" })).rejects.toThrow("NOT_FOUND");
});
