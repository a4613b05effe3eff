import { afterEach, describe, expect, test } from "bun:test";
import { readableMessage, refusalInWords } from "../../web/lib/api/server-message.ts";
import { showCatalogue } from "../../web/lib/words/text.ts";

test.each([
  ["name must have 1 to 64 characters", "name", "The name must have 1 to 64 characters."],
  ["current is wrong", "current", "The current password is wrong."],
  ["tags[1] must have 1 to 64 characters", "tags[1]", "Tag 2 must have 1 to 64 characters."],
  ["metadata.a.b is too long", "metadata.a.b", "The metadata is too long."],
  ["expires_at must be in the future", "expires_at", "The expiry date must be in the future."],
  ["updated_at is required", "updated_at", "The updated at is required."],
])("no field of the API is named to people: %s", (message, field, shown) => {
  expect(readableMessage(message, field)).toBe(shown);
});

test.each([
  ["A file has at most 104857600 bytes.", "A file has at most 100 MiB."],
  ["path must have 1 to 255 bytes", "path must have 1 to 255 bytes"],
  ['The file "2000 bytes" already exists.', 'The file "2000 bytes" already exists.'],
  ["No such drive.", "No such drive."],
])("sizes are told in units: %s", (message, shown) => {
  expect(readableMessage(message, undefined)).toBe(shown);
});

describe("a refusal says", () => {
  afterEach(() => showCatalogue("en", {}));
  const MISSING = { code: "NOT_FOUND", message: "No such drive." };
  const WRONG = { code: "VALIDATION_ERROR", message: "name is too long", field: "name" };

  test("what the server says, in English", () => {
    expect(refusalInWords(MISSING)).toBe("No such drive.");
    expect(refusalInWords(WRONG)).toBe("The name is too long.");
  });

  test("what the dashboard says, in another language, and more where that is too little", () => {
    showCatalogue("de", {
      "It isn't there, or you may not see it. It may have been deleted or moved.": "Es ist nicht da.",
      "Something that was entered can't be used. Change it and try again.": "So geht es nicht.",
    });
    expect(refusalInWords(MISSING)).toBe("Es ist nicht da.");
    expect(refusalInWords(WRONG)).toBe("So geht es nicht. The name is too long.");
    expect(refusalInWords({ code: "NEW", message: "Something new." })).toBe("Something new.");
  });
});
