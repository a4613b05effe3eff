import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { SETTINGS } from "../config/settings.ts";
import type { Installation, ServiceDescription } from "../service/description.ts";
import { type Arguments, type Command, CommandError } from "./command.ts";
import { DIRECTORY_GONE, STORE_TOO_NEW } from "./exit-codes.ts";

const KINDS = ["systemd", "launchd", "openrc", "compose"] as const;
type Kind = (typeof KINDS)[number];

/** What can be printed beside the unit of systemd. */
const SYSTEMD_PARTS = ["socket", "drop-in"] as const;
type SystemdPart = "unit" | (typeof SYSTEMD_PARTS)[number];

const WHERE = ["--data-dir PATH", "--user NAME", "--program PATH"];
const WHERE_HELP = `  --data-dir PATH   The data directory; by default /var/lib/coffer.
  --user NAME       Who runs the server, and owns the data directory; by default coffer.
  --program PATH    The executable; by default this one.`;

export const servicePrint: Command = {
  name: "service print",
  flags: [...KINDS.map((kind) => `--${kind}`), "--socket", "--drop-in", ...WHERE],
  summary: "Print what has a system run the server as a service",
  help: `  --systemd         A unit of systemd, with little else in its reach than its data.
  --socket          With --systemd: a unit with which systemd listens for the server, so that a restart loses no
                    connection.
  --drop-in         With --systemd: the file beside it for what is set on this machine.
  --launchd         A property list of launchd, for macOS.
  --openrc          A script of OpenRC.
  --compose         A file for Docker Compose.
${WHERE_HELP}`,
  async run(args, terminal) {
    const kind = kindOf(args);
    if (kind === null)
      throw new CommandError(`Choose one of ${KINDS.map((each) => `--${each}`).join(", ")}.`);
    const [part = "unit", ...more] = SYSTEMD_PARTS.filter((each) => args.switches.has(each));
    if (part !== "unit" && kind !== "systemd") throw new CommandError(`--${part} needs --systemd.`);
    if (more.length > 0) throw new CommandError("Choose one of --socket, --drop-in.");
    terminal.out((await textOf(kind, descriptionOf(args), part)).trimEnd());
  },
};

export const serviceInstall: Command = {
  name: "service install",
  flags: ["--systemd", "--launchd", "--openrc", "--socket", "--root DIR", ...WHERE],
  summary: "Have this system run the server as a service, from now on and at each start",
  help: `  --systemd, --launchd, --openrc
                    What runs services here; without it, that is found out.
  --socket          With systemd: it listens for the server, so that a restart loses no connection. Where that is, is
                    set with systemctl edit coffer.socket, and not with COFFER_HOST and COFFER_PORT.
  --root DIR        Only write the files, under DIR, and run nothing; for packages.
${WHERE_HELP}

Settings are in /etc/coffer/coffer.env, and for systemd also in a drop-in; what is there already is kept.`,
  async run(args, terminal) {
    const { root = null } = args.values;
    const kind = kindOf(args) ?? presentKind();
    if (kind === null || kind === "compose") {
      throw new CommandError(
        "Nothing that runs services was found here. Choose --systemd, --launchd or --openrc.",
      );
    }
    const hasSocket = args.switches.has("socket");
    if (hasSocket && kind !== "systemd") throw new CommandError("--socket needs systemd.");
    if (root === null && process.getuid?.() !== 0) throw new CommandError("Only root may install a service.");
    const installation = await installationOf(kind, descriptionOf(args), hasSocket);
    const { install } = await import("../service/install.ts");
    await install(installation, root === null ? null : resolve(root), (line) => terminal.out(line));
  },
};

function descriptionOf({ values }: Arguments): ServiceDescription {
  const { "data-dir": dataDir = "/var/lib/coffer", user = "coffer", program } = values;
  if (program === undefined && !Bun.isStandaloneExecutable)
    throw new CommandError("From source, say with --program where the executable is.");
  const paths = [dataDir, user, program ?? ""];
  if (paths.some((text) => /\p{Cc}/u.test(text)) || !/^[a-z_][\w-]*$/i.test(user))
    throw new CommandError("Paths must have no control characters, and --user is a name.");
  return {
    name: "coffer",
    summary: "Coffer, a cloud drive for agents and their people",
    program: resolve(program ?? process.execPath),
    dataDir: resolve(dataDir),
    user,
    settingsFile: "/etc/coffer/coffer.env",
    host: SETTINGS.host.fallback,
    port: Number(SETTINGS.port.fallback),
    openFiles: 65_536,
    stopSeconds: 30,
    watchdogSeconds: 60,
    finalExitCodes: [STORE_TOO_NEW, DIRECTORY_GONE],
  };
}

/** What is asked for; null for nothing. Throws CommandError for more than one. */
function kindOf({ switches }: Arguments): Kind | null {
  const [kind = null, ...more] = KINDS.filter((each) => switches.has(each));
  if (more.length > 0) throw new CommandError("Choose one.");
  return kind;
}

/** What runs services on this machine. */
function presentKind(): Kind | null {
  if (process.platform === "darwin") return "launchd";
  if (existsSync("/run/systemd/system")) return "systemd";
  return existsSync("/sbin/openrc-run") ? "openrc" : null;
}

async function textOf(kind: Kind, service: ServiceDescription, part: SystemdPart): Promise<string> {
  switch (kind) {
    case "systemd": {
      const { systemdDropIn, systemdSocketUnit, systemdUnit } = await import("../service/systemd.ts");
      return { unit: systemdUnit, socket: systemdSocketUnit, "drop-in": systemdDropIn }[part](service);
    }
    case "launchd":
      return (await import("../service/launchd.ts")).launchdPlist(service);
    case "openrc":
      return (await import("../service/openrc.ts")).openrcScript(service);
    case "compose":
      return (await import("../service/compose.ts")).composeFile(service);
  }
}

async function installationOf(
  kind: Exclude<Kind, "compose">,
  service: ServiceDescription,
  hasSocket: boolean,
): Promise<Installation> {
  switch (kind) {
    case "systemd":
      return (await import("../service/systemd.ts")).systemdInstallation(service, hasSocket);
    case "launchd":
      return (await import("../service/launchd.ts")).launchdInstallation(service);
    case "openrc":
      return (await import("../service/openrc.ts")).openrcInstallation(service);
  }
}
