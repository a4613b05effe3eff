import { afterEach, describe, expect, test } from "bun:test";
import type { Language } from "../../src/domain/accounts/language.ts";
import { mark, plural, rich, showCatalogue, shownLanguage, t } from "../../web/lib/words/text.ts";
import { wishedLanguage } from "../../web/lib/words/wished-language.ts";

afterEach(() => showCatalogue("en", {}));

describe("texts", () => {
  test("are English where nothing else was chosen", () => {
    expect(shownLanguage()).toBe("en");
    expect(t("Delete {name}", { name: "a.txt" })).toBe("Delete a.txt");
    expect(t("verb|Comment")).toBe("Comment");
    expect(plural(1, "{count} file", "{count} files")).toBe("1 file");
    expect(plural(2000, "{count} file", "{count} files")).toBe("2,000 files");
  });

  test("are what the catalogue of the language says", () => {
    showCatalogue("de", {
      "Delete {name}": "{name} löschen",
      "verb|Comment": "Kommentieren",
      "{count} files": { one: "{count} Datei", other: "{count} Dateien" },
      "Moved {previous} to {path}": "Nach {path} kam {previous}",
    });
    expect(t(mark("Delete {name}"), { name: "a.txt" })).toBe("a.txt löschen");
    expect(t("verb|Comment")).toBe("Kommentieren");
    expect(plural(1, "{count} file", "{count} files")).toBe("1 Datei");
    expect(plural(2000, "{count} file", "{count} files")).toBe("2.000 Dateien");
    expect(rich("Moved {previous} to {path}", { previous: "a", path: ["b"] })).toEqual([
      "Nach ",
      ["b"],
      " kam ",
      "a",
      "",
    ]);
  });

  test("are English where a catalogue has none", () => {
    showCatalogue("ja", {});
    expect(t("Delete {name}", { name: "a.txt" })).toBe("Delete a.txt");
    expect(plural(1, "{count} file", "{count} files")).toBe("1 file");
  });

  test("have forms of numbers as the language has them", () => {
    showCatalogue("ja", { "{count} files": { other: "{count} 件" } });
    expect(plural(1, "{count} file", "{count} files")).toBe("1 件");
    showCatalogue("fr", { "{count} files": { one: "{count} fichier", other: "{count} fichiers" } });
    expect(plural(0, "{count} file", "{count} files")).toBe("0 fichier");
    expect(plural(1_000_000, "{count} file", "{count} files")).toEndWith(" fichiers");
  });

  test("leave values as they are, whatever they hold", () => {
    expect(t("Delete {name}", { name: "{name}" })).toBe("Delete {name}");
  });
});

describe("the language of a browser", () => {
  const wishes: [readonly string[], Language][] = [
    [["de-AT", "en"], "de"],
    [["pt-BR", "es-MX"], "es"],
    [["zh-CN"], "zh-Hans"],
    [["zh"], "zh-Hans"],
    [["zh-TW", "ja"], "ja"],
    [["en-GB", "de"], "en"],
    [["not a tag", "fr-CA"], "fr"],
    [["pl"], "en"],
    [[], "en"],
  ];
  test.each(wishes)("%j is met by %s", (wished, language) => {
    expect(wishedLanguage(wished)).toBe(language);
  });
});
