import type { CompleteRequest, Server } from "@modelcontextprotocol/server";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { Services } from "../../services/services.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { answering } from "./failures.ts";
import { BY_PATH } from "./resources.ts";
import * as shown from "./shown.ts";
import type { McpOptions } from "./tool.ts";

/** Makes a server complete the arguments of prompts and of the template of all files. */
export function answerCompletions(
  server: Server,
  context: RequestContext,
  { services, log }: McpOptions,
): void {
  const answer = answering(context, log);
  server.setRequestHandler("completion/complete", ({ params }) =>
    answer((caller) => {
      const found = complete(services, caller, params);
      const values = found.slice(0, shown.COMPLETIONS);
      return { completion: { values, hasMore: values.length < found.length } };
    }),
  );
}

/** What starts so, of drives, or of the folders and files of one: one more than are shown. */
function complete(
  { drives, listings }: Services,
  caller: Caller,
  { ref, argument, context }: CompleteRequest["params"],
): string[] {
  const isPrompt = ref.type === "ref/prompt";
  if (!isPrompt && ref.uri !== shown.FILE_URI_TEMPLATE) return [];
  const limit = shown.COMPLETIONS + 1;
  const all = drives.list(caller, null).map(shown.nameOf);
  if (argument.name === "drive") return all.filter((each) => each.startsWith(argument.value)).slice(0, limit);
  const only = isPrompt && all.length === 1 ? all[0] : undefined;
  const drive = context?.arguments?.["drive"] ?? only;
  if (argument.name !== (isPrompt ? "folder" : "path") || drive === undefined) return [];
  const wanted = { ...BY_PATH, driveId: drive, prefix: argument.value, grouped: true, limit, after: null };
  const { files, level } = listings.list(caller, wanted);
  const paths = isPrompt ? [] : files.map(({ path }) => path);
  return [...(level?.folders ?? []), ...paths].slice(0, limit);
}
