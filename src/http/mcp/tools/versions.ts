import { type Static, Type } from "@sinclair/typebox";
import { invalid } from "../../../domain/errors.ts";
import { numberCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import { lineArguments, linesOf, wantedIn, withLines } from "../lines.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const ACTIONS = ["list", "read", "diff", "restore"] as const;

const versionNumber = (description: string) => t.optionalNumber(1, description, 1_000_000_000);

const input = Type.Object({
  ...shown.fileArguments,
  action: t.oneOf(ACTIONS),
  version: versionNumber(
    "Which one to read or restore; to diff, the earlier one. Default there: the newest.",
  ),
  to: versionNumber("To diff: the later version. Default: the content that the file has now."),
  if_match: shown.ifMatchArgument,
  cursor: shown.cursorArgument,
  ...lineArguments,
});

export const versionTools = [
  tool(
    {
      name: "versions",
      title: "Look at earlier contents of a file",
      description:
        "The contents that a file had before its present one. `list` shows them, newest first, with when they were replaced and by whom; `read` shows the text of one, like read_file; `diff` what changed from one to another; `restore` gives the file that content again, which can be undone. To take back only the last change, undo is simpler.",
      needs: "writing",
      reading: ["list", "read", "diff"],
      isDestructive: true,
      input,
    },
    act,
  ),
];

/** Does what is asked. */
async function act(call: Call<Static<typeof input>>): Promise<object> {
  const { input: given, caller, context, drive, services } = call;
  const { versions, versionDiffs } = services;
  const ref = { drive: drive.id, path: given.path };
  switch (given.action) {
    case "list": {
      const before = numberCursor.read(given.cursor);
      const page = versions.list(caller, ref, { limit: shown.PAGE_RECORDS, before });
      return {
        current_version: page.current.version,
        ...shown.saidOf(page.current),
        versions: page.versions.map(shown.versionShown),
        ...shown.nextCursor(numberCursor.write(page.nextBefore)),
      };
    }
    case "read": {
      const file = versions.fileAt(caller, ref, String(shown.needed(given, "version")));
      const lines = await linesOf(call, file, wantedIn(given));
      const facts = { path: file.path, version: file.version, size: file.size };
      if (lines === null) throw invalid("version", "is no text: restore it, or download it over HTTP");
      return withLines(facts, lines);
    }
    case "diff": {
      const compared = { from: given.version, to: given.to };
      const { from, to, diff } = await versionDiffs.compare(caller, ref, compared, context.client);
      return { from, to, ...shown.diffShown(diff) };
    }
    case "restore": {
      const number = String(shown.needed(given, "version"));
      const file = await versions.restore(caller, ref, number, shown.preconditionFrom(given.if_match));
      return shown.fileShown(drive, file, shown.CHANGED);
    }
  }
}
