import { expect, test } from "bun:test";
import { run, type Server, serve } from "../../support/server/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

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
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const settings = { dataDir: place.path, env: { COFFER_TRUSTED_PROXIES: "127.0.0.1" } };
  {
    await using server = await serve(settings);
    const env = { COFFER_DATA_DIR: place.path };
    await run(["user", "create", "ada", "--password-stdin"], { env, input: "ada's password" });
    expect(await login(server, HOME, "ada's password")).toBe(200);
    await server.kill();
  }
  await using server = await serve(settings);
  for (let n = 0; n < 10; n += 1) expect(await login(server, STRANGER, "wrong")).toBe(401);
  expect(await login(server, STRANGER, "ada's password")).toBe(429);
  for (let n = 0; n < 40; n += 1) expect(await login(server, `203.0.113.${n % 4}`, "wrong")).toBe(401);
  // From where she never signed in, Ada has to wait a moment.
  expect(await login(server, "192.0.2.2", "ada's password")).toBe(429);
  expect(await login(server, HOME, "ada's password")).toBe(200);
});
