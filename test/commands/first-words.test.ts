import { expect, test } from "bun:test";
import { firstSteps, nextSteps } from "../../src/commands/serve.ts";

const reached = {
  baseUrl: "http://localhost:2633",
  addresses: ["http://192.168.1.20:2633", "http://[2001:db8::20]:2633"],
  setupLink: "http://localhost:2633/auth/setup?token=abc",
};

test("the start names the machine's own addresses beside localhost", () => {
  const text = nextSteps(reached).join("\n");
  for (const address of [reached.baseUrl, ...reached.addresses]) expect(text).toContain(address);
  expect(nextSteps({ ...reached, addresses: [] })).toHaveLength(2);
});

test("the setup link is printed for every address", () => {
  const text = firstSteps(reached) ?? "";
  expect(text.match(/http\S+/g)).toEqual([
    "http://localhost:2633/auth/setup?token=abc",
    "http://192.168.1.20:2633/auth/setup?token=abc",
    "http://[2001:db8::20]:2633/auth/setup?token=abc",
  ]);
  expect(firstSteps({ ...reached, setupLink: null })).toBeNull();
});
