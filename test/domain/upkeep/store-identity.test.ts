import { expect, test } from "bun:test";
import { newId, type StoreId } from "../../../src/domain/id.ts";
import { judgeStore, type StoreVerdict } from "../../../src/data-directory/store-identity.ts";

const A = newId<StoreId>(1);
const B = newId<StoreId>(2);

test.each<
  [
    what: string,
    database: StoreId | null,
    namesContents: boolean,
    blobs: string | null,
    holdsContents: boolean,
    verdict: StoreVerdict,
  ]
>([
  ["a new store", null, false, null, false, "unmarked"],
  [
    "a new store whose first start was cut off after its directory was marked",
    null,
    false,
    A,
    false,
    "unmarked",
  ],
  ["a store of an earlier version", null, true, null, true, "unmarked"],
  ["the same, cut off after its directory was marked", null, true, A, true, "unmarked"],
  ["a store of an earlier version whose contents are lost", null, true, null, false, "lost contents"],
  ["a new database over contents", null, false, A, true, "unknown contents"],
  ["a new database over contents of an earlier version", null, false, null, true, "unknown contents"],
  ["a store", A, true, A, true, "matched"],
  ["a store that has been emptied", A, false, A, false, "matched"],
  ["a store with nothing but strays", A, false, A, true, "matched"],
  ["another store's contents", A, true, B, true, "different"],
  ["another store's directory, empty", A, true, B, false, "different"],
  ["a damaged identity", A, true, "", true, "different"],
  ["contents without an identity", A, true, null, true, "different"],
  ["contents without an identity, unknown", A, false, null, true, "unknown contents"],
  ["contents that are lost", A, true, null, false, "lost contents"],
  ["an empty store whose directory was made anew", A, false, null, false, "unmarked"],
])("%s", (_, database, namesContents, blobs, holdsContents, verdict) => {
  expect(judgeStore({ database, namesContents, blobs, holdsContents })).toBe(verdict);
});
