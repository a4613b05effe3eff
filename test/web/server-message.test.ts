import { expect, test } from "bun:test";
import { readableMessage } from "../../web/lib/api/server-message.ts";

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
