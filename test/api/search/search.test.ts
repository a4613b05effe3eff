import { describe, expect, test } from "bun:test";
import type { FoundFilesPage } from "../../../src/http/records/record-schemas.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import type { SearchQuery } from "../../../src/services/search/search.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import type { Client, Json } from "../../support/server/client.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import {
  openStage,
  type OwnDrive,
  provision,
  runEach,
  runAfter,
  runScenarios,
  startWithDrive,
} from "../../support/server/scenario.ts";
import { gives, refuses, type Step, step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { indexAll, settledIndex } from "../../support/server/settled-index.ts";
import { testWith } from "../../support/server/test-with.ts";
import { callerWith } from "../../support/server/services-drive.ts";
import { longTest } from "../../support/server/thorough.ts";

const stage = openStage();
const it = testWith(startWithDrive);

function find(client: Client, query: Record<string, string>): Promise<FoundFilesPage> {
  return client.get<FoundFilesPage>(`/v0/search?${new URLSearchParams(query).toString()}`);
}

async function paths(client: Client, text: string): Promise<string[]> {
  return (await find(client, { q: text, limit: "1000" })).data.map(({ path }) => path).toSorted();
}

function upload({ client, id }: OwnDrive, path: string, body: string | Uint8Array<ArrayBuffer>, query = "") {
  return client.put(id, path, body, 201, query);
}

/** A search without a word, a filter or a drive. */
const EVERYTHING: SearchQuery = {
  q: null,
  driveId: null,
  prefix: null,
  tags: [],
  mimeType: null,
  minSize: null,
  maxSize: null,
  updatedAfter: null,
  updatedBefore: null,
  page: 1,
  limit: 50,
};

/** A search of `{drive}` must find exactly these, best first. */
function finds(query: string, found: readonly string[], more: Partial<Step> = {}, isRelaxed = false): Step {
  return step(`GET /v0/search?drive_id={drive}&${query}`, {
    json: {
      data: found.map((path) => ({ path })),
      total: found.length,
      total_is_exact: true,
      is_relaxed: isRelaxed,
      page: 1,
      limit: 50,
    },
    ...more,
  });
}

function q(text: string): string {
  return `q=${encodeURIComponent(text)}`;
}

describe("words", () => {
  const given = [
    put("fox.md", "The quick brown fox\njumps over the lazy dog"),
    put("reports/2030/Invoice-ACME_final.pdf", "%PDF fox", { status: 201 }),
    put("cafe.txt", "Un café à la Straße"),
    put("code.ts", "const userName = get_user_name(id); // 3.14"),
    put("日本/東京都.md", "私は東京都に住んでいます。Bunを使う"),
    put("中文.txt", "我们在北京大学学习"),
    put("thai.txt", "ภาษาไทยง่ายมาก"),
    put("korean.txt", "나는 학교에서 공부한다"),
    put("emoji.txt", "party 🎉 time"),
    put("binary.bin", "fox in a box"),
    put("utf-8.txt", Uint8Array.from(Buffer.from("\ufeffnaïve word"))),
    put("utf-16-le.txt", Uint8Array.from(Buffer.from("\ufeffnaïve word", "utf16le"))),
    put("utf-16-be.txt", Uint8Array.from(Buffer.from("\ufeffnaïve word", "utf16le").swap16())),
    put("latin-1.txt", Uint8Array.from(Buffer.from("na\xefve word", "latin1"))),
  ];
  const cases: [name: string, query: string, found: string[]][] = [
    ["a word of a text", "jumps", ["fox.md"]],
    ["in any case", "QUICK", ["fox.md"]],
    ["the start of a last word", "qui", ["fox.md"]],
    ["not amid a word of a text", "umps", []],
    ["all words, in any order", "dog quick", ["fox.md"]],
    ["words in name and text", "fox dog", ["fox.md"]],
    ["a phrase", '"brown fox"', ["fox.md"]],
    ["a phrase across lines", '"fox jumps"', ["fox.md"]],
    ["not a phrase in another order", '"fox brown"', []],
    ["a quoted word as a whole", '"qui"', []],
    ["a phrase that is not closed", '"brown fo', []],
    ["without accents", "cafe strasse", ["cafe.txt"]],
    ["with accents", "CAFÉ", ["cafe.txt"]],
    ["decomposed", "cafe\u0301", ["cafe.txt"]],
    ["joined by punctuation", "get-user", ["code.ts"]],
    ["a number with a point", "3.14", ["code.ts"]],
    ["amid a filename", "voice", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["across punctuation of a filename", "acme final", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["joined otherwise than in the filename", "acme.final", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["one letter of a filename", "z", []],
    ["two letters amid a filename", "oi", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["amid a folder", "eport", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["across folders", "reports/2030", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["a whole path", "reports/2030/Invoice-ACME_final.pdf", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["the end of a path", "2030/invoice", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["an ending", ".pdf", ["reports/2030/Invoice-ACME_final.pdf"]],
    ["the name but not the content of what is no text", "box", []],
    ["Japanese amid a sentence", "住んで", ["日本/東京都.md"]],
    ["one Japanese character", "私", ["日本/東京都.md"]],
    ["Japanese amid a name", "京都", ["日本/東京都.md"]],
    ["one character of a folder", "日", ["日本/東京都.md"]],
    ["two scripts in one", "Bunを", ["日本/東京都.md"]],
    ["not Japanese in another order", "都京", []],
    ["Chinese", "北京大学", ["中文.txt"]],
    ["Thai", "ไทย", ["thai.txt"]],
    ["Korean without its particle", "학교", ["korean.txt"]],
    ["a pictogram", "🎉", ["emoji.txt"]],
    ["nothing but punctuation", "*** --- ???", []],
  ];
  /** What is found because it has some of the words. */
  const relaxed: [name: string, query: string, found: string[]][] = [
    ["not by the start of a word before others", "qui fox", ["fox.md"]],
    ["where one is missing", "dog cat", ["fox.md"]],
    ["not by folders in another order", "2030/reports/invoice", ["reports/2030/Invoice-ACME_final.pdf"]],
  ];
  // One drive for all, since nothing changes in it.
  runScenarios(stage, {
    find: [
      ...given,
      finds(q("fox"), ["fox.md"]),
      // Whatever their encoding.
      gives("GET /v0/search?drive_id={drive}&q=naive", {
        data: ["latin-1", "utf-16-be", "utf-16-le", "utf-8"].map((name) => ({
          path: `${name}.txt`,
          snippet: "naïve word",
        })),
      }),
      // With the name of the case, for whoever reads of a failure.
      ...[...cases, ...relaxed].map((each) => {
        const [name, query, found] = each;
        const more = { headers: { prefer: "handling=lenient" } };
        return finds(`${q(query)}&case=${encodeURIComponent(name)}`, found, more, relaxed.includes(each));
      }),
    ],
  });

  test("are found in the first MiB of a text, wherever it is cut, and not beyond", async () => {
    const own = await stage.ownDrive();
    const filler = "lorem ipsum dolor ".repeat(3700);
    const parts = Array.from({ length: 15 }, (_, index) => `${filler} needle${index} in hay${index} `);
    const text = parts.join("");
    await upload(own, "long.txt", `${text}${"x ".repeat((1 << 19) - text.length / 2)}beyond`);
    for (let index = 0; index < 15; index += 1) {
      const { data } = await find(own.client, { q: `"needle${index} in hay${index}"` });
      expect(data).toMatchObject([{ snippet: expect.stringContaining(`needle${index} in hay${index}`) }]);
    }
    expect(await paths(own.client, "needle0 hay14")).toEqual(["long.txt"]);
    expect(await paths(own.client, "beyond")).toEqual([]);
  });
});

/** A change of the file that was kept as `a`, and what its record has to show then. */
function ofA(method: "PATCH" | "POST", action: string, body: Json, json: object, status = 200): Step {
  return { request: [method, `/v0/files/{a.id}${action}`], body, status, json };
}

describe("tags", () => {
  const given: Step[] = [
    step("POST /v0/files", {
      body: { drive_id: "{drive}", filename: "a.txt", content: "", tags: ["Quarterly Report", "urgent"] },
      status: 201,
      json: { tags: ["Quarterly Report", "urgent"] },
      keeps: "a",
    }),
    put("b.txt", "nothing"),
  ];
  runAfter(stage, given, {
    "are found by a word": finds(q("quarterly"), ["a.txt"]),
    "are found amid a word": finds(q("gent"), ["a.txt"]),
    "are no phrase together": finds(q('"report urgent"'), []),
    "are found as they are now": [
      ofA("PATCH", "", { tags: ["new"] }, { tags: ["new"] }),
      finds(q("urgent"), []),
      finds(q("new"), ["a.txt"]),
    ],
  });
});

const all = ["notes/deep/long.txt", "notes/word.md", "pics/word.png", "pics/word.pngx", "tagged.txt"];
const filters: [query: string, found: string[]][] = [
  ["prefix=notes/", ["notes/deep/long.txt", "notes/word.md"]],
  ["prefix=/notes/deep", ["notes/deep/long.txt"]],
  ["prefix=nothing", []],
  ["tags=red", ["tagged.txt"]],
  ["tags=red,blue", ["tagged.txt"]],
  ["tags=red,green", []],
  [`tags=${"red,blue,".repeat(33)}`, ["tagged.txt"]],
  ["tags=red&tags=blue", ["tagged.txt"]],
  ["tags=one,%20two&tags=", ["tagged.txt"]],
  ["tags=one,%20two", []],
  ["mime_type=text/markdown", ["notes/word.md"]],
  ["mime_type=text/plain", ["notes/deep/long.txt", "tagged.txt"]],
  ["mime_type=TEXT/*", ["notes/deep/long.txt", "notes/word.md", "tagged.txt"]],
  ["mime_type=image/*", ["pics/word.png"]],
  ["mime_type=image/p", []],
  ["min_size=5", ["notes/deep/long.txt"]],
  ["max_size=4", all.filter((path) => path !== "notes/deep/long.txt")],
  ["min_size=4&max_size=4&prefix=p", ["pics/word.png", "pics/word.pngx"]],
  ["updated_after=2000-01-01", all],
  ["updated_after=2030-01-01T00:00:00Z", all],
  ["updated_after=2030-01-01T00:00:00.001Z", []],
  ["updated_before=2030-01-01T00:00:00Z", []],
  ["updated_before=2030-01-01T00:00:00.001Z", all],
];
test("filters are kept to, with and without words", async () => {
  const own = await stage.ownDrive();
  await own.client.post("/v0/files", {
    drive_id: own.id,
    filename: "tagged.txt",
    content: "d29yZA==",
    tags: ["red", "blue", "one, two"],
    content_type: "text/plain; charset=utf-8",
  });
  await upload(own, "notes/deep/long.txt", "word ".repeat(100));
  for (const path of ["notes/word.md", "pics/word.png", "pics/word.pngx"]) await upload(own, path, "word");
  for (const [query, found] of filters) {
    for (const words of ["", "&q=word"]) {
      const { data, total } = await own.client.get<FoundFilesPage>(`/v0/search?${query}${words}`);
      const seen = data.map(({ path }) => path).toSorted();
      expect([query, words, seen, total]).toEqual([query, words, found, found.length]);
    }
  }
});

describe("parameters", () => {
  const bad: [query: string, field: string][] = [
    ["", "q"],
    ["drive_id={drive}", "q"],
    ["q=", "q"],
    ["q=%20%09", "q"],
    ["prefix=&tags=,", "q"],
    [`q=${"x".repeat(513)}`, "q"],
    [q("🎉".repeat(17)), "q"],
    [q(`"${"a b ".repeat(17)}"`), "q"],
    [q(Array.from({ length: 17 }, (_, index) => `w${index}`).join(" ")), "q"],
    ["q=a&q=b", "q"],
    ["q=%ff", "q"],
    ["q=a&page=0", "page"],
    ["q=a&limit=0", "limit"],
    ["q=a&limit=1001", "limit"],
    ["min_size=-1", "min_size"],
    ["max_size=1e3", "max_size"],
    ["updated_after=2030-02-30", "updated_after"],
    ["updated_before=tomorrow", "updated_before"],
    ["mime_type=*", "mime_type"],
    ["mime_type=*/*", "mime_type"],
    ["mime_type=image/", "mime_type"],
    ["prefix=%00", "prefix"],
    [`tags=${Array.from({ length: 65 }, (_, at) => `t${at}`).join()}`, "tags"],
  ];
  runEach(stage, bad, ([query, field]) => [
    `"${query.slice(0, 40)}" is refused for ${field}`,
    refuses(`GET /v0/search?${query}`, "VALIDATION_ERROR", field),
  ]);
  runScenarios(stage, {
    "a drive may be named by its slug": gives("ada GET /v0/search?q=hello&drive_id=ada%2Fnotes", {
      data: [{ id: "{files.ada}" }],
      total: 1,
    }),
  });
});

// Any other query is tried in properties/listings.test.ts.
test("nothing that is typed matches in another way than as words, however long", async () => {
  const { ada } = stage.world.clients;
  for (const text of ["hello*", "^hello", "'hello'", "-hello", "hello:", "(hello)"])
    expect([text, await paths(ada, text)]).toEqual([text, ["notes/hello.txt"]]);
  for (const text of ["tokens:hello", "h*lo"]) expect([text, await paths(ada, text)]).toEqual([text, []]);
  // A file with "not" or "or" would have all words.
  for (const text of ["hello NOT zebra", "hello OR zebra"])
    expect(await find(ada, { q: text })).toMatchObject({ total: 1, is_relaxed: true });
  const columns = ["search_name:hello", "{tokens}: hello", "- tokens : hello", '"hello" + "world"'];
  const long = ["🎉".repeat(16), "x".repeat(512), "a ".repeat(250), "﷽".repeat(16), "\u0301".repeat(500)];
  for (const text of [...columns, ...long])
    expect([text, await ada.status("GET", `/v0/search?${q(text)}`)]).toEqual([text, 200]);
  expect(await ada.status("GET", `/v0/search?q=${"x".repeat(10_000)}`)).toBe(400);
});

describe("order and pages", () => {
  it("filenames come first, whole words before others, then tags, folders and texts, then the newest", async (coffer) => {
    const { own } = coffer;
    await upload(own, "text-old.txt", "apple");
    coffer.clock.advance(1000);
    await upload(own, "text-new.txt", "apple");
    await upload(own, "apple/other.txt", "");
    await upload(own, "pineapple.txt", "");
    await upload(own, "green apple.txt", "");
    await upload(own, "green apples and apple.txt", "apple");
    await own.client.post("/v0/files", {
      drive_id: own.id,
      filename: "tag.txt",
      content: "",
      tags: ["apple"],
    });
    const { data } = await find(own.client, { q: "apple" });
    expect(data.map(({ path, score }) => [path, score])).toEqual([
      ["green apples and apple.txt", 0.7],
      ["green apple.txt", 0.6],
      ["pineapple.txt", 0.4],
      ["tag.txt", 0.2],
      ["apple/other.txt", 0.1],
      ["text-new.txt", 0.1],
      ["text-old.txt", 0.1],
    ]);
  });

  it("pages of words or of a filter follow each other and have one total", async (coffer) => {
    const { own } = coffer;
    const { id } = await upload(own, "one.bin", "");
    await addManyFiles(coffer.dataDir, id, 2500);
    await indexAll(coffer);
    for (const query of [{ q: "many" }, { prefix: "many/" }]) {
      const seen: string[] = [];
      for (let page = 1; page <= 4; page += 1) {
        const found = await find(own.client, { ...query, limit: "1000", page: String(page) });
        expect(found).toMatchObject({ total: 2500, page, limit: 1000 });
        seen.push(...found.data.map(({ path }) => path));
      }
      expect([seen.length, new Set(seen).size]).toEqual([2500, 2500]);
      expect((await find(own.client, { ...query, page: "1000000000", limit: "1000" })).data).toEqual([]);
    }
  });
});

describe("right at once", () => {
  const deletion: Step = gives("DELETE /v0/files/{a.id}", { id: "{a.id}", deleted: true });
  const needle = [put("a.txt", "needle", { keeps: "a" })];
  const gone: [name: string, steps: Step[]][] = [
    ["deleted", [deletion]],
    [
      "deleted with others",
      [gives("POST /v0/files/bulk-delete", { deleted: ["{a.id}"] }, { body: { file_ids: ["{a.id}"] } })],
    ],
    ["replaced", [put("a.txt", "other", { status: 200 })]],
    ["replaced by nothing", [put("a.txt", "", { status: 200 })]],
  ];
  for (const [name, steps] of gone) {
    runScenarios(stage, {
      [`a file that was ${name} is not found`]: [
        ...needle,
        finds(q("needle"), ["a.txt"]),
        ...steps,
        finds(q("needle"), []),
      ],
      [`nor before it was ever searched for, ${name}`]: [...needle, ...steps, finds(q("needle"), [])],
    });
  }
  runScenarios(stage, {
    "a file that was moved is found by its new name alone": [
      put("old.txt", "needle", { keeps: "a" }),
      finds(q("old"), ["old.txt"]),
      ofA("POST", "/move", { destination_path: "new/name.txt" }, { path: "new/name.txt" }),
      finds(q("old"), []),
      finds(q("needle"), ["new/name.txt"]),
      finds(q("new name"), ["new/name.txt"]),
    ],
    "a copy is found by its own name and the same text": [
      ...needle,
      ofA("POST", "/copy", { destination_path: "b.md" }, { path: "b.md" }, 201),
      deletion,
      finds(q("needle"), ["b.md"]),
    ],
    "a file that became no text keeps its name alone": [
      ...needle,
      finds(q("needle"), ["a.txt"]),
      ofA("PATCH", "", { filename: "a.png" }, { filename: "a.png" }),
      finds(q("a.png"), ["a.png"]),
      finds(q("needle"), []),
    ],
    "a file that became text is found by it": [
      put("a.png", "needle", { keeps: "a" }),
      finds(q("needle"), []),
      ofA("PATCH", "", { filename: "a.txt" }, { filename: "a.txt" }),
      finds(q("needle"), ["a.txt"]),
    ],
    "a deleted folder takes its files along": [
      put("f/a.txt", "needle"),
      put("g/b.txt", "needle"),
      gives(
        "DELETE /v0/folders",
        { deleted_count: 1 },
        { body: { drive_id: "{drive}", path: "f/", confirm: true } },
      ),
      finds(q("needle"), ["g/b.txt"]),
    ],
  });

  it("a file that expired is not found, nor counted, nor are its lines", async (coffer) => {
    const { own } = coffer;
    const expiry = encodeURIComponent(coffer.clock.iso(1000));
    await upload(own, "a.txt", "needle", `&expires_at=${expiry}`);
    await upload(own, "b.txt", "needle");
    expect(await find(own.client, { q: "needle" })).toMatchObject({ total: 2 });
    expect(await own.client.paths("/v0/grep?pattern=needle")).toEqual(["a.txt", "b.txt"]);
    coffer.clock.advance(1000);
    for (const query of [{ q: "needle" }, { mime_type: "text/*" }])
      expect(await find(own.client, query)).toMatchObject({ data: [{ path: "b.txt" }], total: 1 });
    expect(await own.client.paths("/v0/grep?pattern=needle")).toEqual(["b.txt"]);
  });

  test("a file that was moved to another drive is found there alone", async () => {
    const { ada: client } = stage.world.clients;
    const drive = async (name: string) => ({ id: (await client.makeDrive(name)).id, key: "", client });
    const [one, two] = [await drive("one"), await drive("two")];
    const { id } = await upload(one, "a.txt", "wanderer");
    await upload(two, "b.txt", "wanderer");
    expect(await paths(client, "wanderer")).toEqual(["a.txt", "b.txt"]);
    const to = { destination_path: "a.txt", destination_drive_id: two.id };
    await client.post(`/v0/files/${id}/move`, to, 200);
    expect(await find(client, { q: "wanderer", drive_id: one.id })).toMatchObject({ total: 0 });
    expect(await find(client, { q: "wanderer", drive_id: two.id })).toMatchObject({ total: 2 });
    expect(await find(client, { q: '"a" txt', drive_id: two.id })).toMatchObject({ total: 1 });
  });

  it("what has changed is not found by what it was, even where indexing lags behind", async (coffer) => {
    const { own } = coffer;
    const moved = await upload(own, "needle-one.txt", "x");
    const tagged = await upload(own, "two.txt", "x");
    await own.client.patch(`/v0/files/${tagged.id}`, { tags: ["needle"] });
    const long = `needle ${"hay ".repeat(50_000)} needle`;
    await upload(own, "three.txt", long);
    const { id } = await upload(own, "needle-four.txt", long);
    const found = ["needle-four.txt", "needle-one.txt", "three.txt", "two.txt"];
    expect(await paths(own.client, "needle")).toEqual(found);
    await coffer.appliance.services.indexer.stop();
    await own.client.post(`/v0/files/${moved.id}/move`, { destination_path: "one.txt" }, 200);
    await own.client.patch(`/v0/files/${tagged.id}`, { tags: [] });
    await own.client.put(own.id, "three.txt", "other", 200);
    await own.client.delete(`/v0/files/${id}`);
    expect(await find(own.client, { q: "needle" })).toMatchObject({ data: [], total: 0 });
    // A file that comes in the place of one that went.
    const last = () => rowsIn(coffer.dataDir, "SELECT max(pk) FROM file");
    expect(last()).toEqual([[3]]);
    await upload(own, "other.txt", "other");
    expect(last()).toEqual([[4]]);
    expect(await find(own.client, { q: "needle" })).toMatchObject({ data: [], total: 0 });
  });

  test("many writers and searchers at once each find what they wrote", async () => {
    const own = await stage.ownDrive();
    const write = async (number: number) => {
      await upload(own, `${number}.txt`, `marker${number}x common`);
      expect(await paths(own.client, `"marker${number}x"`)).toEqual([`${number}.txt`]);
    };
    await Promise.all(Array.from({ length: 40 }, (_, number) => write(number)));
    expect(await find(own.client, { q: "common" })).toMatchObject({ total: 40 });
  });
});

/** Begins a search at once, and not whenever a request for it arrives; how many it finds. */
async function begin(coffer: TestAppliance, { key }: OwnDrive, text: string): Promise<number> {
  const { apiKeys, search } = coffer.appliance.services;
  const caller = callerWith({ apiKeys }, key);
  const { total } = await search.find(caller, { ...EVERYTHING, q: text });
  return total;
}

describe("many at once", () => {
  /**
   * How often a long search is begun at most until others came before its end. One that holds them up never
   * lets them; one that does not may be over too soon, where the machine just did something else.
   */
  const ROUNDS = 50;

  longTest("are answered or told when to come again", async () => {
    const { ada } = stage.world.clients;
    const answers = await Promise.all(
      Array.from({ length: 600 }, (_, number) =>
        ada.send("GET", `/v0/search?q=hello+${number % 2 === 0 ? "" : "x"}`),
      ),
    );
    for (const { status, headers, text } of answers) {
      expect([status, headers.get("retry-after"), text]).toEqual(
        status === 200
          ? [200, null, expect.stringContaining('"total":')]
          : [429, "1", expect.stringContaining("RATE_LIMITED")],
      );
    }
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(256);
  });

  test("do not hold up other requests nor a search that finds little, however much they find", async () => {
    await using coffer = await startAppliance();
    const [big, small] = [await provision(coffer), await provision(coffer)];
    const { id } = await upload(big, "a.bin", "");
    await upload(small, "many.bin", "");
    // More than a search looks at.
    await addManyFiles(coffer.dataDir, id, 6000);
    await indexAll(coffer);
    let most = 0;
    for (let round = 0; round < ROUNDS && most < 5; round += 1) {
      const order: string[] = [];
      const search = begin(coffer, big, "many 00").finally(() => order.push("search"));
      while (!order.includes("search")) {
        await big.client.get(`/v0/files/${id}`);
        order.push("file");
      }
      expect(await search).toBeGreaterThan(1000);
      most = Math.max(most, order.indexOf("search"));
    }
    expect(most).toBeGreaterThanOrEqual(5);

    const firsts = new Set<string | undefined>();
    for (let round = 0; round < ROUNDS && !firsts.has("light"); round += 1) {
      const order: string[] = [];
      await Promise.all([
        begin(coffer, big, "many 00 000 0 bin").finally(() => order.push("heavy")),
        begin(coffer, small, "many").finally(() => order.push("light")),
      ]);
      firsts.add(order[0]);
    }
    expect(firsts).toContain("light");
  });
});

// Their marks have to be put in order, which takes time that grows with the square of their number.
const marks = "\u0315\u0300".repeat(1 << 18);
const costly: [name: string, text: string][] = [
  ["one letter with 500,000 accents", `a${marks}`],
  ["nothing but marks", marks],
  ["Devanagari marks", "\u0915\u094d\u093c".repeat(100_000)],
  ["letters that become sentences", "\ufdfa".repeat(340_000)],
  ["one word", "x".repeat(1 << 20)],
];
test.each(costly)("contents that are costly to read, %s, do not hold up anybody", async (_, text) => {
  const own = await stage.ownDrive();
  await upload(own, "costly.txt", text);
  await upload(own, "plain.txt", "needle");
  expect(await paths(own.client, "needle")).toEqual(["plain.txt"]);
});

it("after a crash what was not indexed yet is, without being asked for", async (coffer) => {
  const { own } = coffer;
  // As if the process had ended here.
  await coffer.appliance.services.indexer.stop();
  await upload(own, "a.txt", "needle");
  await upload(own, "b.txt", "word ".repeat(100_000));
  const { id } = await upload(own, "c.txt", "needle");
  await own.client.delete(`/v0/files/${id}`);
  expect(rowsIn(coffer.dataDir, "SELECT parts FROM search_job")).toEqual([[3], [3], [4]]);
  expect(await paths(own.client, "needle")).toEqual([]);
  await coffer.restart();
  await settledIndex(coffer.dataDir);
  const client = coffer.client(own.key);
  expect(await paths(client, "needle")).toEqual(["a.txt"]);
  expect(await paths(client, "word")).toEqual(["b.txt"]);
});

test("a claimed drive is searched by its owner and by its agent, each as far as they see", async () => {
  const { ada, bob } = stage.world.clients;
  const word = "claimedneedle";
  const agent = await stage.ownDrive();
  await upload(agent, "agent.txt", word);
  expect([await paths(agent.client, word), await paths(ada, word)]).toEqual([["agent.txt"], []]);
  await ada.post("/v0/drives/claim", { token: agent.claimToken }, 200);
  await upload({ ...agent, id: stage.world.drives.ada, client: ada }, "own.txt", word);
  await upload(agent, "later.txt", word);
  expect(await paths(ada, word)).toEqual(["agent.txt", "later.txt", "own.txt"]);
  expect(await paths(agent.client, word)).toEqual(["agent.txt", "later.txt"]);
  expect(await paths(stage.world.clients.adaDrive, word)).toEqual(["own.txt"]);
  expect(await paths(bob, word)).toEqual([]);
});

test("other people's drives neither show in totals, scores and order, nor cost anything", async () => {
  await using coffer = await startAppliance();
  const [mine, other] = [await provision(coffer), await provision(coffer)];
  await upload(mine, "many/apple.txt", "common apple");
  await upload(mine, "pear.txt", "common pear");
  const queries = ["common", "comm", "many", "an", "txt", "common apple", '"common pear"', "zebra"];
  const ask = () => Promise.all(queries.map((text) => find(mine.client, { q: text })));
  const alone = await ask();
  const { id } = await upload(other, "common apple.txt", "common apple ".repeat(20));
  await addManyFiles(coffer.dataDir, id, 3000);
  await indexAll(coffer);
  const theirs = await find(other.client, { q: "common", limit: "1" });
  expect([theirs.total_is_exact, theirs.total > 1000]).toEqual([false, true]);
  expect(await ask()).toEqual(alone);
});
