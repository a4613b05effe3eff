import { describe, expect, test } from "bun:test";
import type { Json } from "../../support/server/client.ts";
import {
  type Expected,
  gives,
  openStage,
  refused,
  runEach,
  runScenarios,
  type Step,
  step,
} from "../../support/server/scenario.ts";

const stage = openStage();

interface Drive {
  id: string;
  name: string;
  slug: string;
  updated_at: string;
}

function create(name: string, keeps: string, as: "ada" | "bob" = "ada"): Step {
  const body = { name, description: "As it was" };
  return step(`${as} POST /v0/drives`, { body, status: 201, json: { data: body }, keeps });
}

/** Changes the drive that was kept as `own`. */
function update(body: Json, more: Expected): Step {
  return step("ada PATCH /v0/drives/{own.data.id}", { body, ...more });
}

const BAD_NAMES: readonly (readonly [name: string, sent: Json])[] = [
  ["empty", ""],
  ["only spaces", "  "],
  ["of 65 characters", "x".repeat(65)],
  ["with a line break", "a\nb"],
  ["with NUL", "a\u0000b"],
  ["that is a number", 5],
];

const BAD_DESCRIPTIONS: readonly (readonly [name: string, sent: Json])[] = [
  ["of 1,025 characters", "x".repeat(1025)],
  ["with NUL", "a\u0000b"],
  ["that is half a surrogate pair", "\ud800"],
  ["that is an array", []],
];

describe("a drive is renamed and described", () => {
  const given = [create("Old name", "own")];
  const own = { as: "ada", request: ["GET", "/v0/drives/{own.data.id}"], status: 200 } as const;
  const unchangedData = { json: { data: { name: "Old name", description: "As it was" } } };
  const unchanged: Step = { ...own, ...unchangedData };
  runScenarios(stage, {
    "the slug follows the name, the id and the description stay": [
      ...given,
      update(
        { name: "  New name " },
        {
          json: {
            data: {
              id: "{own.data.id}",
              name: "New name",
              slug: "ada/new-name",
              description: "As it was",
              file_count: 0,
            },
          },
        },
      ),
      gives("ada GET /v0/drives?slug=ada/new-name", { data: [{ id: "{own.data.id}" }] }),
      gives("ada GET /v0/drives?slug=ada/old-name", { data: [] }),
    ],
    "a description alone leaves name and slug": [
      ...given,
      update(
        { description: "Line 1\nLine 2" },
        { json: { data: { name: "Old name", slug: "{own.data.slug}", description: "Line 1\nLine 2" } } },
      ),
    ],
    "a description can be taken away": [
      ...given,
      update({ description: "" }, { json: { data: { description: "" } } }),
    ],
    "null changes nothing": [...given, update({ name: null, description: null }, unchangedData), unchanged],
    "nothing to change changes nothing": [...given, update({}, unchangedData), unchanged],
    "by its slug": [
      ...given,
      update(
        { name: "By slug" },
        { request: ["PATCH", "/v0/drives/{own.data.slug}"], json: { data: { id: "{own.data.id}" } } },
      ),
    ],
    "by the drive's own key": gives(
      "adaDrive PATCH /v0/drives/{drives.ada}",
      { data: { slug: "ada/ada-s-notes" } },
      { body: { name: "Ada's notes" } },
    ),
    "an unclaimed one has no slug still": gives(
      "PATCH /v0/drives/{drive}",
      { data: { name: "Of an agent", description: "Mine", slug: null } },
      { body: { name: "Of an agent", description: "Mine" } },
    ),
    "not by a stranger": [
      ...given,
      update({ name: "Taken" }, { as: "bob", ...refused("NOT_FOUND") }),
      unchanged,
    ],
    "not with a read-only key": [
      ...given,
      update({ name: "Taken" }, { as: "adaReader", ...refused("FORBIDDEN") }),
      unchanged,
    ],
  });
  runEach(stage, BAD_NAMES, ([name, sent]) => [
    `a name ${name} is refused`,
    ...given,
    update({ name: sent, description: "Changed" }, refused("VALIDATION_ERROR", "name")),
    unchanged,
  ]);
  runEach(stage, BAD_DESCRIPTIONS, ([name, sent]) => [
    `a description ${name} is refused`,
    ...given,
    update({ name: "Changed", description: sent }, refused("VALIDATION_ERROR", "description")),
    unchanged,
  ]);
});

async function make(name: string): Promise<Drive> {
  const { bob } = stage.world.clients;
  return (await bob.post<{ data: Drive }>("/v0/drives", { name })).data;
}

async function rename(drive: Drive, name: string): Promise<Drive> {
  const { bob } = stage.world.clients;
  const changed = await bob.patch<{ data: Drive }>(`/v0/drives/${drive.id}`, { name });
  return changed.data;
}

describe("a slug that clashes", () => {
  test("is numbered, kept while the name makes the same one, and freed by a rename", async () => {
    const first = await make("Plans");
    const second = await rename(await make("Other"), "Plans");
    expect([first.slug, second.slug]).toEqual(["bob/plans", "bob/plans-2"]);
    // Its own slug is no clash.
    expect((await rename(second, "Plans 2")).slug).toBe("bob/plans-2");
    expect((await rename(second, "plans")).slug).toBe("bob/plans-2");
    expect((await rename(first, "Elsewhere")).slug).toBe("bob/elsewhere");
    // The name is the same but for its case: nothing that was written down need change.
    expect((await rename(second, "PLANS")).slug).toBe("bob/plans-2");
    expect((await make("Plans")).slug).toBe("bob/plans");
  });

  test("changes when the drive was last updated", async () => {
    const drive = await make("Clock");
    stage.coffer.clock.advance(1000);
    const changed = await rename(drive, "Watch");
    expect(Date.parse(changed.updated_at) - Date.parse(drive.updated_at)).toBe(1000);
  });
});
