import { expect, test } from "bun:test";
import { systemClock } from "../../../src/process/clock.ts";
import { addAccount } from "../../support/server/accounts.ts";
import { type Server, serve } from "../../support/server/executable.ts";

const HOME = "192.0.2.1";
const STRANGER = "198.51.100.7";

async function login({ url }: Server, address: string, password: string): Promise<number> {
  const { status } = await fetch(`${url}/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": address },
    body: JSON.stringify({ username: "ada", password }),
  });
  return status;
}

test("once the server was killed and started again, a stranger's guesses do not lock out whoever had signed in", async () => {
  const env = { COFFER_TRUSTED_PROXIES: "127.0.0.1" };
  await using first = await serve({ env });
  addAccount({ dataDir: first.dataDir, clock: systemClock }, "ada");
  expect(await login(first, HOME, "ada's password")).toBe(200);
  await first.kill();
  await using server = await serve({ dataDir: first.dataDir, env });
  for (let n = 0; n < 10; n += 1) expect(await login(server, STRANGER, "wrong")).toBe(401);
  expect(await login(server, STRANGER, "ada's password")).toBe(429);
  for (let n = 0; n < 40; n += 1) expect(await login(server, `203.0.113.${n % 4}`, "wrong")).toBe(401);
  // From where she never signed in, Ada has to wait a moment.
  expect(await login(server, "192.0.2.2", "ada's password")).toBe(429);
  expect(await login(server, HOME, "ada's password")).toBe(200);
});
