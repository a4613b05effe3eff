import { type Command, CommandError, readArguments, requireConfig } from "./command.ts";
import { localAddress } from "../local-address.ts";

const PATIENCE_MS = 5000;

export const healthcheck: Command = {
  name: "healthcheck",
  usage: "",
  summary: "Ask the server on this machine whether it is well; for containers",
  help: () => "  Finds the server by the environment variables that it was started with.",
  async run(args, terminal) {
    readArguments(args, { values: [], switches: [] });
    const { host, port } = requireConfig({}, terminal);
    const url = `${localAddress(host, port)}/readyz`;
    try {
      const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!ok) throw new CommandError(`${url} answers ${status}.`);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`${url} does not answer.`, { cause: error });
    }
  },
};
