import { expect, test } from "bun:test";
import { type Actor, actorText, parseActor } from "../../../src/domain/changes/change.ts";
import { type KeyId, newId, type UserId } from "../../../src/domain/id.ts";

const ACTORS: readonly (Actor | null)[] = [
  { kind: "key", id: newId<KeyId>(1) },
  { kind: "user", id: newId<UserId>(1) },
  { kind: "link", id: "0123:4567" },
  null,
];

test("an actor is read as it was written", () => {
  expect(ACTORS.map((actor) => parseActor(actorText(actor)))).toEqual([...ACTORS]);
});

test("what no actor has written is refused", () => {
  for (const text of ["", "key:", "key:1", "user:1", "server:1", newId<UserId>(1)])
    expect(() => parseActor(text)).toThrow("the database names an actor");
});
