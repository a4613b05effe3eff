import { expect, test } from "bun:test";
import { fileAddress, folderAddress, parseDrivePlace } from "../../web/lib/files/place.ts";
import { nameOf, parentOf } from "../../web/lib/files.ts";

const ID = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

test.each([
  ["a drive's root", "ada/files", "", "/drives/ada/files/"],
  ["a drive without a slug", ID, "", `/drives/${ID}/`],
  ["a folder of it", ID, "a/b/", `/drives/${ID}/a/b/`],
  [
    "characters that mean something in addresses",
    "ada/files",
    "100% #1?/&=/",
    "/drives/ada/files/100%25%20%231%3F/%26%3D/",
  ],
  ["other scripts", "ada/files", "ünï/日本/", "/drives/ada/files/%C3%BCn%C3%AF/%E6%97%A5%E6%9C%AC/"],
])("%s has an address that is read back", (_, drive, folder, address) => {
  expect([folderAddress(drive, folder), parseDrivePlace(address)]).toEqual([address, { drive, folder }]);
});

test.each([
  ["without a trailing slash", "/drives/ada/files", { drive: "ada/files", folder: "" }],
  ["of a folder without one", "/drives/ada/files/a", { drive: "ada/files", folder: "a/" }],
  ["with slashes too many", "/drives/ada/files//a//", { drive: "ada/files", folder: "a/" }],
  ["of nobody's drive", "/drives/ada", null],
  ["with nothing", "/drives/", null],
  ["elsewhere", "/search", null],
  ["with a stray percent sign", "/drives/ada/files/%", null],
])("an address %s is read as meant", (_, address, place) => {
  expect(parseDrivePlace(address)).toEqual(place);
});

test("a file is shown above its folder", () => {
  expect(fileAddress("ada/files", "a/", ID)).toBe(`/drives/ada/files/a/?file=${ID}`);
});

test.each([
  ["a.txt", "", "a.txt"],
  ["x/y/a.txt", "x/y/", "a.txt"],
  ["x/", "", "x"],
  ["x/y/", "x/", "y"],
])("%s stands in %p and is called %s", (path, parent, name) => {
  expect([parentOf(path), nameOf(path)]).toEqual([parent, name]);
});
