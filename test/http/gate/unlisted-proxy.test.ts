import { expect, test } from "bun:test";
import { startStub, trusted } from "../stub-app.ts";

const WARNING = /proxy that is not trusted/;

type Stub = ReturnType<typeof startStub>;

function warnings({ log }: Stub) {
  return log.ofLevel("warn").filter(({ message }) => WARNING.test(message));
}

async function ask(app: Stub, headers: Record<string, string>): Promise<void> {
  for (const path of ["/healthz", "/v0/things", "/v0/nothing"]) await app.send(path, { headers });
}

test("X-Forwarded-For from an address that is not trusted is told in the log, once, with the setting", async () => {
  await using app = startStub();
  await ask(app, {});
  expect(warnings(app)).toEqual([]);
  await ask(app, { "x-forwarded-for": "192.0.2.1" });
  await ask(app, { "x-forwarded-for": "192.0.2.1" });
  expect(warnings(app)).toEqual([
    {
      level: "warn",
      message: expect.stringContaining("COFFER_TRUSTED_PROXIES"),
      fields: { peer: "127.0.0.1", setting: "COFFER_TRUSTED_PROXIES=127.0.0.1" },
    },
  ]);
});

test("a trusted proxy is none to warn of, another one is", async () => {
  await using app = startStub({ trustedProxies: trusted("127.0.0.0/8") });
  await ask(app, { "x-forwarded-for": "192.0.2.1" });
  expect(warnings(app)).toEqual([]);
  await using other = startStub({ trustedProxies: trusted("192.0.2.1") });
  await ask(other, { "x-forwarded-for": "192.0.2.1" });
  expect(warnings(other)).toHaveLength(1);
});
