import { expect } from "bun:test";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { openWithDrive, storeFile } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

const it = testWith(() => openWithDrive());

it("a comment is on the lines that were counted: not of a content that came meanwhile", async (opened) => {
  const { services, caller, database } = opened;
  const { file } = await storeFile(opened, "a.txt", "one\ntwo\n");
  const said = { text: "Here.", startLine: 2, endLine: undefined, replyTo: undefined };
  const add = () => services.comments.add(caller, { id: file.id }, said, UNCONDITIONAL);
  const adding = add();
  // It is written first: the lines are being counted still.
  const changing = database.write(() => database.sql.run("UPDATE file SET version = version + 1"));
  expect(await adding.catch(String)).toContain("changed meanwhile");
  await changing;
  expect(await add()).toMatchObject({ version: 2, lines: { start: 2, end: 2 } });
});
