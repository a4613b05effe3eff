import { expect, spyOn, test } from "bun:test";
import { Passwords } from "../../../src/services/accounts/passwords.ts";

test("who has waited for longer than a connection lives is told to come again, and no hash is made", async () => {
  const passwords = new Passwords({});
  const [now, verify] = [spyOn(performance, "now"), spyOn(Bun.password, "verify")];
  try {
    now.mockReturnValue(1000);
    const first = passwords.matches("wrong", null);
    const second = passwords.matches("wrong", null);
    // Both are waiting for their turn; the first has it once this step ends.
    await Promise.resolve();
    now.mockReturnValue(1000 + 29_000);
    expect(await first).toBe(false);
    expect(await second.catch((error: unknown) => error)).toMatchObject({ code: "RATE_LIMITED" });
    expect(await passwords.matches("wrong", null)).toBe(false);
    expect(verify).toHaveBeenCalledTimes(2);
  } finally {
    now.mockRestore();
    verify.mockRestore();
  }
});
