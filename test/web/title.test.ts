import { expect, test } from "bun:test";
import { titleOf } from "../../web/lib/browser/title.ts";

test.each([
  ["/drives/ada/notes/river/", "river · Coffer"],
  ["/drives/ada/notes/a%E2%80%AEgpj/", "a⟨U+202E⟩gpj · Coffer"],
  ["/drives/ada/notes/100%/", "100% · Coffer"],
  ["/claim/clm_1", "Claim a drive · Coffer"],
])("%s is called %s", (path, title) => {
  expect(titleOf(path)).toBe(title);
});
