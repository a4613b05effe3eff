import { expect, test } from "bun:test";
import {
  driveAt,
  fitting,
  foundChoices,
  type LinkChoice,
  searchChoices,
} from "../../web/lib/palette/choices.ts";

const notes = { id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f", name: "Field notes", slug: "ada/field-notes" };
const unclaimed = { id: "01976f5e-5d7a-7000-8000-000000000001", name: "Unclaimed", slug: null };

function page(name: string, where = ""): LinkChoice {
  return { kind: "page", name, where, to: `/${name}` };
}

test.each([
  ["dri", ["Drives", "All drives"]],
  ["rives", []],
  ["TRA field", ["Trash"]],
  ["ubersicht", ["Übersicht"]],
  ["?", []],
])("what was typed is how words begin: %j finds %j", (typed, names) => {
  const all = [page("All drives"), page("Drives"), page("Trash", "Field notes"), page("Übersicht")];
  expect(fitting(typed, all).map(({ name }) => name)).toEqual(names);
});

test.each([
  ["/drives/ada/field-notes/river/", notes.name],
  [`/drives/${unclaimed.id}/`, unclaimed.name],
  [`/activity?drive=${notes.id}`, notes.name],
  ["/drives/ada/other/", undefined],
  ["/drives", undefined],
])("the drive that %s is about: %p", (address, name) => {
  const { pathname, searchParams } = new URL(address, "http://localhost");
  expect(driveAt(pathname, searchParams, [notes, unclaimed])?.name).toBe(name);
});

test("what was found leads to folders of such a name, and to files", () => {
  const file = (id: string, path: string) => ({ id, drive_id: notes.id, path });
  const files = [file("1", "river/old river/birds.md"), file("2", "river/log.md"), file("3", "a river.md")];
  const found = foundChoices("Riv", files, [notes]);
  expect(found.map(({ kind, name, where, to }) => [kind, name, where, to])).toEqual([
    ["folder", "old river", "Field notes / river", "/drives/ada/field-notes/river/old%20river/"],
    ["folder", "river", "Field notes", "/drives/ada/field-notes/river/"],
    [
      "file",
      "birds.md",
      "Field notes / river / old river",
      "/drives/ada/field-notes/river/old%20river/?file=1",
    ],
    ["file", "log.md", "Field notes / river", "/drives/ada/field-notes/river/?file=2"],
    ["file", "a river.md", "Field notes", "/drives/ada/field-notes/?file=3"],
  ]);
});

test("a whole search is offered, first in the drive that one is in", () => {
  expect(searchChoices("a & b", notes).map(({ to }) => to)).toEqual([
    `/search?q=a+%26+b&drive=${notes.id}`,
    "/search?q=a+%26+b",
  ]);
  expect(searchChoices("tea", undefined)).toHaveLength(1);
});
