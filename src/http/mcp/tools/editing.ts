import { Type } from "@sinclair/typebox";
import { startOf } from "../../../domain/contents/texts/text.ts";
import { editFields, editsIn } from "../../resources/contents/edits.ts";
import { ANSWER_DIFF_BYTES } from "../bounds.ts";
import { fileArguments, fileShown, ifMatchArgument, preconditionFrom, shownFile } from "../shown.ts";
import { tool } from "../tool.ts";

export const editingTools = [
  tool(
    {
      name: "edit_file",
      title: "Edit a text file",
      description:
        "Changes parts of a text file and leaves the rest as it is. Give one edit (`op` and its fields), or several as `edits`, which are made in their order: all, or none. `str_replace` replaces old_string, which must be in the file exactly once, unless you pass replace_all; if it is not, the error names the lines. `insert` puts text after a line, `append` adds it at the end. With dry_run you only see the diff. Other agents' edits at the same time are not lost; pass if_match to be sure that nothing changed since you read the file.",
      needs: "writing",
      isDestructive: true,
      input: Type.Object({
        ...fileArguments,
        ...editFields,
        if_match: ifMatchArgument,
      }),
      output: Type.Object({
        ...shownFile,
        diff: Type.String({ description: "What changed, as a unified diff." }),
        diff_cut: Type.Boolean({ description: "Whether the end of the diff is left out." }),
      }),
    },
    async ({ input, caller, drive, services: { edits } }) => {
      const ref = { drive: drive.id, path: input.path };
      const options = { precondition: preconditionFrom(input.if_match), dryRun: input.dry_run ?? false };
      const { file, diff } = await edits.apply(caller, ref, editsIn(input), options);
      const text = startOf(diff.text, ANSWER_DIFF_BYTES);
      const isCut = diff.isCut || text.length < diff.text.length;
      return { ...fileShown(drive, file), diff: text, diff_cut: isCut };
    },
  ),
  tool(
    {
      name: "append_file",
      title: "Append to a text file",
      description:
        "Adds text to the end of a file of any size, exactly as it is: begin it with a line end if the file does not end with one. The file must be there; to make one, use write_file. Good for logs and journals that several agents write to.",
      needs: "writing",
      input: Type.Object({
        ...fileArguments,
        text: Type.String({ description: "What to add." }),
        if_match: ifMatchArgument,
      }),
      output: Type.Object(shownFile),
    },
    async ({ input, caller, drive, services: { edits } }) => {
      const ref = { drive: drive.id, path: input.path };
      const options = { precondition: preconditionFrom(input.if_match), dryRun: false };
      const { file } = await edits.apply(caller, ref, [{ op: "append", text: input.text }], options);
      return fileShown(drive, file);
    },
  ),
];
