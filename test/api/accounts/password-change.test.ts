import { describe, expect, test } from "bun:test";
import { dataOf, expectRefused } from "../../support/server/answers.ts";
import type { Answer } from "../../support/server/client.ts";
import { areSignedIn, type SignedInBrowser, signIn, signInAll } from "../../support/server/sign-in.ts";
import { startWorld } from "../../support/server/world.ts";

function change(browser: SignedInBrowser, current: string, password: string): Promise<Answer> {
  return browser.send("POST", "/v0/account/password", { body: { current, password } });
}

describe("POST /v0/account/password", () => {
  test("changes it, and signs out everywhere else", async () => {
    const { coffer, world } = await startWorld();
    await using _ = coffer;
    const [here, there, bob] = await signInAll(coffer, "ada", "ada", "bob");
    expect(dataOf(await change(here, "ada's password", "a new password"))).toEqual({ changed: true });
    expect(await areSignedIn(here, there, bob)).toEqual([true, false, true]);
    expect(signIn(coffer, "ada")).rejects.toThrow("401");
    await signIn(coffer, "ada", "a new password");
    await world.clients.ada.get("/v0/account");
  });

  test("not for a wrong one, a short one, or many at once", async () => {
    const { coffer } = await startWorld();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    expectRefused(await change(ada, "wrong", "a new password"), "VALIDATION_ERROR", "current");
    expectRefused(await change(ada, "ada's password", "short"), "VALIDATION_ERROR", "password");
    const answers = await Promise.all(
      ["first password", "second password"].map((next) => change(ada, "ada's password", next)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
  });

  test("the right one with another that cannot be taken is no wrong one", async () => {
    const { coffer } = await startWorld();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    for (let n = 0; n < 11; n += 1)
      expectRefused(await change(ada, "ada's password", "short"), "VALIDATION_ERROR", "password");
    expect((await change(ada, "ada's password", "a new password")).status).toBe(200);
  });

  test("ten wrong ones, then none for a quarter of an hour", async () => {
    const { coffer } = await startWorld();
    await using _ = coffer;
    const ada = await signIn(coffer, "ada");
    const wrong = await Promise.all(Array.from({ length: 11 }, () => change(ada, "wrong", "a new password")));
    expect(wrong.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 10 }, () => 400),
      429,
    ]);
    expectRefused(await change(ada, "ada's password", "a new password"), "RATE_LIMITED");
    coffer.clock.advance(15 * 60 * 1000);
    expect((await change(ada, "ada's password", "a new password")).status).toBe(200);
  });
});
