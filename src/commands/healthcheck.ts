import { type Command, CommandError, requireConfig } from "./command.ts";
import { localAddress } from "../network/local-address.ts";

const TIMEOUT_MS = 5000;

export const healthcheck: Command = {
  name: "healthcheck",
  summary: "Check whether the server on this machine is ready; for containers",
  help: "  Needs the same environment variables as the server.",
  async run(_, terminal) {
    const { host, port } = requireConfig({}, terminal);
    const url = `${localAddress(host, port)}/readyz`;
    try {
      const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (!ok) throw new CommandError(`${url} answers ${status}.`);
    } catch (error) {
      if (error instanceof CommandError) throw error;
      throw new CommandError(`${url} does not answer.`, { cause: error });
    }
  },
};
