import { SETTINGS } from "../config/settings.ts";
import { findDataDirectory } from "../data-directory/data-directory.ts";
import type { ServerStatus } from "../doctor/running-server.ts";
import { formatInstant } from "../domain/time.ts";
import { localAddress, networkAddresses, ownAddress } from "../network/local-address.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";

export const status: Command = {
  name: "status",
  flags: ["--json", "--data-dir PATH", SETTINGS.host.flag, SETTINGS.port.flag, SETTINGS.baseUrl.flag],
  summary: "Show what the running server of a data directory says of itself",
  help: `  --json            Print it as one line of JSON.
  --data-dir PATH   The data directory, as for serve. Who can read it needs no password.
  ${SETTINGS.host.flag}, ${SETTINGS.port.flag}, ${SETTINGS.baseUrl.flag}
                    As for serve, if it was given any: where the server is asked, and what is shown as its address.
                    A server at a socket that systemd has passed is found without them.

Exit code: 0 if the server answers, also if it has problems; else 1.`,
  async run({ values, switches }, terminal) {
    const config = requireConfig(values, terminal);
    const { dataDir, baseUrl } = config;
    const directory = findDataDirectory(dataDir);
    const { askServer, whereItListens } = await import("../doctor/running-server.ts");
    const listening = whereItListens(directory, config);
    const url = localAddress(listening);
    const server = await askServer(directory, url);
    if (server.kind === "stopped") throw new CommandError(`No server uses ${dataDir}.`);
    if (server.kind === "silent") {
      throw new CommandError(
        `A server uses ${dataDir} (process ${server.pid ?? "unknown"}), and ${url} is not it: ${server.why}. ` +
          "Give the same --host and --port, or COFFER_HOST and COFFER_PORT, as the server has.",
      );
    }
    const addresses = baseUrl === null ? [ownAddress(listening), ...networkAddresses(listening)] : [baseUrl];
    if (switches.has("json")) terminal.out(JSON.stringify(record(server.status, server.pid, addresses)));
    else for (const shown of lines(server.status, addresses)) terminal.out(shown);
  },
};

/** What `--json` prints; names and times as in the API. */
function record(
  { version, startedAt, storage, disks, backup, ...more }: ServerStatus,
  pid: number | null,
  addresses: readonly string[],
) {
  return {
    version,
    pid,
    started_at: instant(startedAt),
    addresses,
    problems: more.problems,
    storage: {
      drives: storage.drives,
      files: storage.files,
      contents: storage.contents,
      contents_bytes: storage.contentsBytes,
    },
    disks: disks.map(({ disk, isReachable, freeBytes, totalBytes }) => ({
      disk,
      reachable: isReachable,
      free_bytes: freeBytes,
      total_bytes: totalBytes,
    })),
    backup: backup && {
      running: backup.isRunning,
      last_success_at: instant(backup.lastSuccessAt),
      last_failure_at: instant(backup.lastFailureAt),
    },
    index_waiting: more.indexWaiting,
  };
}

function lines(
  { version, startedAt, storage, disks, backup, problems, indexWaiting }: ServerStatus,
  addresses: readonly string[],
): string[] {
  return [
    line("version", `${version ?? "unknown"}, running since ${instant(startedAt) ?? "an unknown time"}`),
    ...addresses.map((address) => line("address", address)),
    ...(problems.length === 0 ? [line("problems", "none")] : problems.map((kind) => line("problem", kind))),
    line("drives", count(storage.drives)),
    line("files", count(storage.files)),
    line("contents", `${count(storage.contents)}, ${size(storage.contentsBytes)}`),
    ...disks.map(({ disk, isReachable, freeBytes, totalBytes }) =>
      line("disk", `${disk}, ${isReachable ? `${size(freeBytes)} of ${size(totalBytes)} free` : "away"}`),
    ),
    line("backup", backup === null ? "the server makes none" : backupText(backup)),
    line("index", `${count(indexWaiting)} files wait`),
  ];
}

function backupText({
  isRunning,
  lastSuccessAt,
  lastFailureAt,
}: NonNullable<ServerStatus["backup"]>): string {
  return [
    `the last one ${instant(lastSuccessAt) ?? "never"}`,
    ...(lastFailureAt === null ? [] : [`failed ${instant(lastFailureAt)}`]),
    ...(isRunning ? ["one is being made"] : []),
  ].join(", ");
}

function line(name: string, text: string): string {
  return `${`${name}:`.padEnd(10)} ${text}`;
}

function instant(time: number | null): string | null {
  return time === null ? null : formatInstant(time);
}

function count(number: number | null): string {
  return number === null ? "being counted" : String(number);
}

function size(bytes: number | null): string {
  return bytes === null ? "unknown" : `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}
