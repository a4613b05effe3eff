import { expect, test } from "bun:test";
import { phrases } from "../../web/pages/drive/editor/phrases.ts";

/** The parts of CodeMirror that say something where a text is edited. */
const PARTS = ["commands", "search", "view"];

test("all that the editor says itself is in the catalogue, in its own English", async () => {
  const sources = await Promise.all(
    PARTS.map((part) => Bun.file(Bun.fileURLToPath(import.meta.resolve(`@codemirror/${part}`))).text()),
  );
  const said = sources.flatMap((source) =>
    Array.from(source.matchAll(/\bphrase\((?:view, )?"([^"]+)"/g), ([, phrase = ""]) => phrase),
  );
  expect(Object.keys(phrases()).toSorted()).toEqual([...new Set(said)].toSorted());
  for (const [phrase, english] of Object.entries(phrases())) expect(english).toBe(phrase);
});
