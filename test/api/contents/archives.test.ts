import { describe, expect, test } from "bun:test";
import { address, archived, filled, opened } from "../../support/samples/archives.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { openStage, provision, runEach, runScenarios, runAfter } from "../../support/server/scenario.ts";
import { invalid, refuses, step } from "../../support/server/steps.ts";
import { put } from "../../support/server/uploads.ts";
import { sampleBytes } from "../../support/samples/blob-store-contract.ts";

const stage = openStage();

const TREE = {
  "a.txt": "A",
  "photos/2030/one.png": "1",
  "photos/2030/two.png": "2",
  "photos/2030-b/three.png": "3",
  "photos/raw/": "",
  "photos.txt": "P",
  "z/empty": "",
};

describe("what is in it", () => {
  // What it holds, and what it is called.
  const PACKED: [paths: string[], name: string, packed: Record<string, string>][] = [
    [[], "Scenario", { ...TREE, "photos/": "", "photos/2030-b/": "", "photos/2030/": "", "z/": "" }],
    [["a.txt"], "Scenario", { "a.txt": "A" }],
    [["/a.txt"], "Scenario", { "a.txt": "A" }],
    [["photos/2030/two.png"], "2030", { "two.png": "2" }],
    [["photos/2030/"], "2030", { "2030/": "", "2030/one.png": "1", "2030/two.png": "2" }],
    [["photos/raw/"], "raw", { "raw/": "" }],
    [["photos/raw/", "photos/2030/one.png"], "photos", { "2030/one.png": "1", "raw/": "" }],
    [["z/empty", "photos/2030/one.png"], "Scenario", { "photos/2030/one.png": "1", "z/empty": "" }],
    // What is there twice, or in another.
    [
      ["photos/2030/two.png", "photos/2030/", "photos/2030/", "/photos/2030/one.png"],
      "2030",
      { "2030/": "", "2030/one.png": "1", "2030/two.png": "2" },
    ],
    [["photos/2030/two.png", "photos/2030/two.png"], "2030", { "two.png": "2" }],
  ];
  test.each(PACKED)("of %j, which is called %s.zip", async (paths, name, packed) => {
    const { id, client } = await filled(stage, TREE);
    const response = await client.fetch("GET", address(id, ...paths));
    const disposition = `attachment; filename="${name}.zip"; filename*=UTF-8''${name}.zip`;
    expect(response.headers.get("content-disposition")).toBe(disposition);
    const found = await opened(await response.bytes(), (zip) => zip.texts());
    expect(found).toEqual(packed);
    const inOrder = Object.keys(found).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(Object.keys(found)).toEqual(inOrder);
  });

  test("the root is all of it, whatever is beside it", async () => {
    const own = await filled(stage, TREE);
    const whole = await archived(own.client, own.id);
    for (const paths of [[""], ["/"], ["a.txt", ""], ["", "z/"]])
      expect(await archived(own.client, own.id, ...paths)).toEqual(whole);
  });

  test("an empty drive is an archive without entries", async () => {
    const own = await stage.ownDrive();
    expect(await archived(own.client, own.id)).toEqual({});
  });

  test("names as they are, in any script, also those that other systems have no place for", async () => {
    const others = ["C:/x", "CON", "Same", "same", "dot./trailing. ", '<>:"|?*', "-rf"];
    const foreign = ["日本語/é \u{1F600}", "\u202egnp.exe", `${"long/".repeat(200)}x`];
    const names = Object.fromEntries([...others, ...foreign].map((name, n) => [name, `${n}`]));
    const own = await filled(stage, names);
    const found = await archived(own.client, own.id);
    const files = Object.entries(found).filter(([name]) => !name.endsWith("/"));
    expect(Object.fromEntries(files)).toEqual(names);
  });

  test("contents of every size around those of our pieces, byte for byte", async () => {
    const sizes = [0, 1, 65535, 65536, 65537, 262143, 262144, 262145, 524288, 3_000_001];
    const contents = Object.fromEntries(sizes.map((size) => [`${size}`, Buffer.from(sampleBytes(size))]));
    const own = await filled(stage, contents);
    const response = await own.client.fetch("GET", address(own.id));
    await opened(await response.bytes(), (zip) => {
      expect(zip.entries).toHaveLength(sizes.length);
      for (const entry of zip.entries) {
        const content = contents[entry.name] ?? Buffer.alloc(0);
        expect([entry.name, zip.content(entry).equals(content)]).toEqual([entry.name, true]);
        expect(entry.modifiedAt).toBe(Math.floor(stage.coffer.clock.now() / 1000));
      }
    });
  });

  test("thousands of files, in the order of the list", async () => {
    const own = await filled(stage, { "first.txt": "x", "many0/between": "y", "zz/last": "z" });
    const { data } = await own.client.get<{ data: { id: string }[] }>(`/v0/files?drive_id=${own.id}`);
    await addManyFiles(stage.coffer.dataDir, data[0]?.id ?? "", 2499);
    const numbers = Array.from({ length: 2499 }, (_, n) => `many/${String(n + 1).padStart(7, "0")}.txt`);
    const found = Object.keys(await archived(own.client, own.id));
    expect(found).toEqual(["first.txt", "many/", ...numbers, "many0/", "many0/between", "zz/", "zz/last"]);
  });

  test("what has expired is not in it, swept or not", async () => {
    const own = await filled(stage, { stays: "1" });
    const soon = stage.coffer.clock.iso(1000);
    await own.client.put(own.id, "goes", "x", 201, `&expires_at=${soon}`);
    expect(Object.keys(await archived(own.client, own.id))).toEqual(["goes", "stays"]);
    stage.coffer.clock.advance(1000);
    expect(Object.keys(await archived(own.client, own.id))).toEqual(["stays"]);
    expect((await own.client.send("GET", address(own.id, "goes"))).status).toBe(404);
  });
});

describe("the answer", () => {
  test("has a name that can be saved, also of a drive that is called like a path", async () => {
    const { client, id } = await provision(stage.coffer, "../é\\x");
    const disposition = (await client.send("GET", address(id))).headers.get("content-disposition");
    expect(disposition).toBe(`attachment; filename="..-_-x.zip"; filename*=UTF-8''..-%C3%A9-x.zip`);
  });

  const OF_DRIVE = "/v0/archive?drive_id={drive}";
  const one = ["none", "none/", "dir", "dir/a.txt/", "dir//", "dir/../dir/"];
  const several = ["dir/&path=none", "dir/&path=dir/none", "&path=none"];
  const none = [...one, ...several].map((paths) => `path=${paths}`);
  const bad = [
    ["drive_id={drive}&path=a%00", "path"],
    ["drive_id={drive}&path=%FF", "path"],
    [`drive_id={drive}&path=${"x".repeat(1025)}`, "path"],
    [`drive_id={drive}${"&path=dir/".repeat(201)}`, "path"],
    ["path=dir/", "drive_id"],
    ["drive_id={drive}&drive_id={drive}", "drive_id"],
  ] as const;
  runScenarios(stage, {
    "is a file to save, and nothing that a browser shows": [
      put("a.txt"),
      step("GET /v0/archive?drive_id={drive}", {
        contains: [/^PK/, "a.txt", "Hello World!"],
        receives: {
          "content-type": "application/zip",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "content-security-policy": "sandbox; default-src 'none'",
        },
      }),
    ],
    "to HEAD says the same, and no length that it has not": [
      put("a.txt"),
      step(`HEAD ${OF_DRIVE}&path=a.txt`, {
        empty: true,
        receives: {
          "content-type": "application/zip",
          "content-disposition": /^attachment; filename="Scenario.zip"/,
          "content-length": null,
        },
      }),
    ],
  });
  runAfter(stage, [put("dir/a.txt")], {
    "takes a slug for a drive": step("ada GET /v0/archive?drive_id=ada%2Fnotes&path=notes/", {
      contains: ["Hello World!"],
    }),
    "200 paths are taken": step(`GET /v0/archive?drive_id={drive}${"&path=dir/".repeat(200)}`, {
      contains: ["Hello World!"],
    }),
  });
  runEach(stage, none, (query) => [
    `${query} is not there`,
    put("dir/a.txt"),
    refuses(`GET ${OF_DRIVE}&${query}`, "NOT_FOUND"),
  ]);
  runEach(stage, bad, ([query, field]) => [
    `${query.slice(0, 40)} is refused`,
    put("dir/a.txt"),
    step(`GET /v0/archive?${query}`, invalid(field)),
  ]);

  test("counts as bandwidth, as the contents it holds", async () => {
    const own = await filled(stage, { small: "x".repeat(1000), large: Buffer.alloc(100_000, "y") });
    const used = async () => {
      const { data } = await own.client.get<{ data: { bandwidth: { used: number } } }>("/v0/account/usage");
      return data.bandwidth.used;
    };
    const before = await used();
    await archived(own.client, own.id);
    expect((await used()) - before).toBe(101_000);
  });
});
