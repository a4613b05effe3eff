import { VERSION } from "../process/version.ts";
import { type Command, readArguments } from "./command.ts";

export const version: Command = {
  name: "version",
  usage: "",
  summary: "Print the version",
  help: () => "",
  async run(args, terminal) {
    readArguments(args, { values: [], switches: [] });
    terminal.out(`coffer ${VERSION}`);
  },
};
