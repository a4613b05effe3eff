import { describe, expect, test } from "bun:test";
import type { FoundFilesPage } from "../../../src/http/records/record-schemas.ts";
import type { Client } from "../../support/server/client.ts";
import { openStage, runAfter } from "../../support/server/scenario.ts";
import { gives, refuses, type Step } from "../../support/server/steps.ts";
import { post, put } from "../../support/server/uploads.ts";

const stage = openStage();

/** A search of `{drive}` finds these, best first. */
function finds(query: string, found: readonly (string | object)[], isRelaxed = false): Step {
  const data = found.map((each) => (typeof each === "string" ? { path: each } : each));
  return gives(`GET /v0/search?drive_id={drive}&q=${encodeURIComponent(query)}`, {
    data,
    total: found.length,
    total_is_exact: true,
    is_relaxed: isRelaxed,
  });
}

/** Finds these because they have some of the words. */
function relaxes(query: string, found: readonly (string | object)[]): Step {
  return finds(query, found, true);
}

describe("other forms of a word", () => {
  const given = [
    put("date.md", "Parse the date while it runs"),
    put("running.md", "Running, added and policies"),
    put("invoiceTotals.bin", "\0"),
    post({ filename: "tagged.bin", tags: ["Meetings"] }),
  ];
  runAfter(stage, given, {
    "are found in texts": [
      finds("dates", [{ path: "date.md", snippet: "Parse the date while it runs" }]),
      finds("run", ["running.md", "date.md"]),
      finds("policy", ["running.md"]),
      finds("adding", ["running.md"]),
      finds("add", ["running.md"]),
    ],
    "are found in names and tags": [
      finds("invoices", ["invoiceTotals.bin"]),
      finds("total", ["invoiceTotals.bin"]),
      finds("meeting", ["tagged.bin"]),
    ],
    "are found beside other words": finds("runs dated", ["date.md"]),
    "are not found inside quotation marks": [
      finds('"dates"', []),
      finds('"run added"', []),
      finds('"parse the date"', ["date.md"]),
      finds('"parses the date"', []),
    ],
    "are not those of a phrase that punctuation makes": finds("parses-the-dates", []),
  });
});

describe("other forms of a word in another language", () => {
  const given = [
    put("german.txt", "Die Häuser sind alt, und auf der Straße ist es still."),
    put("russian.txt", "Новая книга"),
    put("Rechnung.bin", "\0"),
    put("Berechnung.bin", "\0"),
    post({ filename: "tagged.bin", tags: ["Wohnung"] }),
  ];
  runAfter(stage, given, {
    "are found in texts, with accents or without": [
      finds("Hause", [
        { path: "german.txt", snippet: "Die Häuser sind alt, und auf der Straße ist es still." },
      ]),
      finds("hausern", ["german.txt"]),
      finds("STRASSEN alt", ["german.txt"]),
      finds("книги", [{ path: "russian.txt", snippet: "Новая книга" }]),
      finds("новый", ["russian.txt"]),
    ],
    "are found in names and tags where they begin a word": [
      finds("Rechnungen", ["Rechnung.bin"]),
      finds("Wohnungen", ["tagged.bin"]),
    ],
    "are not found inside quotation marks": finds('"Hausern"', []),
  });
  runAfter(stage, [put("english.txt", "The houses of this town"), put("Rechnung.bin", "\0")], {
    "are not known in a drive without texts in it": finds("Rechnungen", []),
  });
});

const ADD_DAYS = "# addDays\n\nAdd the specified number of days to the given date.\n\naddDays(date, amount)";

/** So many words of one letter, which no text here has. */
function letters(first: string, count: number): string {
  return Array.from({ length: count }, (_, n) => `${first}${n}`).join("+");
}

describe("a question", () => {
  const given = [
    put("docs/one.md", ADD_DAYS),
    put("docs/two.md", "# subDays\n\nSubtract the specified number of days from the given date."),
    put(
      "docs/three.md",
      `# History\n\nHow do I say it: ${"many other words ".repeat(100)} days, added to a date`,
    ),
    put("docs/four.md", "How to do a thing that I do"),
    put("docs/how-do-i.md", "unrelated"),
  ];
  runAfter(stage, given, {
    "is answered by what has its words, the shortest first": finds("How do I add days to a date?", [
      "docs/one.md",
      "docs/three.md",
    ]),
    "is relaxed if no file has its common words": relaxes("Where should I add days to this date?", [
      "docs/one.md",
      "docs/three.md",
    ]),
    "of common words alone asks for these": finds("how to do a thing", ["docs/four.md"]),
    "has its common words looked for in quotation marks": finds('"how" add days', ["docs/three.md"]),
    "does not count them as words": [
      finds(`${"what is the ".repeat(30)} amount`, ["docs/one.md"], true),
      refuses(`GET /v0/search?q=${letters("c", 17)}`, "VALIDATION_ERROR", "q"),
      gives(`GET /v0/search?q=how+what+the+${letters("c", 16)}&prefix=none`, { data: [] }),
    ],
    "may have words that no file has": relaxes("How do I subtract zebras of days from a date?", [
      {
        path: "docs/two.md",
        snippet: "# subDays Subtract the specified number of days from the given date.",
      },
    ]),
  });
});

describe("words that no file has all", () => {
  const given = [
    put("rare.txt", "quokka"),
    put("two.txt", "common usual"),
    put("three.txt", "common usual frequent quokka"),
    put("amid.bin", "\0"),
    post({ filename: "usual-quokka.bin", tags: ["red"] }),
    ...Array.from({ length: 6 }, (_, n) => put(`many/${n}.txt`, `common usual frequent ${n}`)),
  ];
  runAfter(stage, given, {
    "find the files with most of them, of which rare ones weigh more": relaxes("frequent quokka numbat", [
      "three.txt",
      "rare.txt",
      "usual-quokka.bin",
    ]),
    "find whole words before letters amid a name": relaxes("mid quokka", [
      "rare.txt",
      "usual-quokka.bin",
      "three.txt",
      "amid.bin",
    ]),
    "find nothing where no file has any": finds("zebra quagga", []),
    "are not relaxed for one word or one phrase": [finds("zebra", []), finds('"usual common"', [])],
    "keep phrases": relaxes('"usual common" quokka', ["rare.txt", "usual-quokka.bin", "three.txt"]),
    "keep filters": gives("GET /v0/search?drive_id={drive}&q=quokka+zebra&tags=red", {
      data: [{ path: "usual-quokka.bin" }],
      total: 1,
      is_relaxed: true,
    }),
    "have pages": [
      gives("GET /v0/search?drive_id={drive}&q=frequent+usual+zebra&limit=3", { total: 7, is_relaxed: true }),
      gives("GET /v0/search?drive_id={drive}&q=frequent+usual+zebra&limit=6&page=2", {
        data: [{}],
        total: 7,
        is_relaxed: true,
      }),
      gives("GET /v0/search?drive_id={drive}&q=frequent+usual+zebra&limit=6&page=3", { data: [], total: 7 }),
    ],
  });
});

function find(client: Client): Promise<FoundFilesPage> {
  return client.get<FoundFilesPage>("/v0/search?q=wombat+numbat");
}

test("where a drive has all words, others do not relax them, and the drives of others count for nothing", async () => {
  const { ada, bob } = stage.world.clients;
  const [one, two] = [await ada.makeDrive("one"), await ada.makeDrive("two")];
  await ada.put(one.id, "wombat.txt", "wombat");
  await ada.put(two.id, "both words.txt", "numbat in a longer text");
  expect(await find(ada)).toMatchObject({ is_relaxed: true, total: 2 });
  const theirs = await bob.makeDrive("theirs");
  await bob.put(theirs.id, "all.txt", "wombat numbat");
  expect((await find(ada)).data.map(({ path }) => path)).toEqual(["wombat.txt", "both words.txt"]);
  expect(await find(bob)).toMatchObject({ is_relaxed: false, total: 1 });
  await ada.put(two.id, "all.txt", "wombat numbat");
  expect(await find(ada)).toMatchObject({ is_relaxed: false, total: 1 });
});
