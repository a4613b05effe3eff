import { expect, test } from "bun:test";
import { takeSignInReturn } from "../../web/lib/api/sign-in-return.ts";

const ID = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

test.each([
  [`?sign_in=cancelled&request=${ID}`, { outcome: "cancelled", requestId: ID }, ""],
  ["?q=a&sign_in=expired&request=Root=1-6789", { outcome: "expired", requestId: "Root=1-6789" }, "?q=a"],
  ["?sign_in=failed", { outcome: "failed", requestId: undefined }, ""],
  ["?sign_in=failed&request=", { outcome: "failed", requestId: undefined }, ""],
  ["?sign_in=failed&request=Call this number", { outcome: "failed", requestId: undefined }, ""],
  [`?sign_in=failed&request=${"x".repeat(129)}`, { outcome: "failed", requestId: undefined }, ""],
  ["?sign_in=Failed", null, "?sign_in=Failed"],
  ["?sign_in=toString", null, "?sign_in=toString"],
  ["?sign_in=", null, "?sign_in="],
  [`?request=${ID}`, null, `?request=${ID}`],
] as const)("%s is taken as the server means it", (query, expected, left) => {
  const url = new URL(`http://localhost/claim/clm_0123${query}`);
  expect([takeSignInReturn(url), url.search]).toEqual([expected, left]);
});
