import { type Installation, SETTINGS_TEXT, type ServiceDescription } from "./description.ts";

/** What of the rest of the system the server may see and do: its data, the network, and no more. */
const HARDENING = `NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
DevicePolicy=closed
PrivateDevices=yes
PrivateTmp=yes
PrivateUsers=yes
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RemoveIPC=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
# Not MemoryDenyWriteExecute: JavaScript is compiled while it runs.
UMask=0077`;

/** The unit of systemd. */
export function systemdUnit(service: ServiceDescription): string {
  const { name, summary, program, dataDir, user, settingsFile, finalExitCodes } = service;
  return `[Unit]
Description=${summary}
Wants=network-online.target
After=network-online.target
RequiresMountsFor=${quoted(dataDir)}

[Service]
Type=notify
NotifyAccess=main
ExecStart=${quoted(program)} serve
User=${user}
Group=${user}
Environment=${quoted(`COFFER_DATA_DIR=${dataDir}`)}
EnvironmentFile=-${settingsFile}
${placeOf(dataDir)}
WatchdogSec=${service.watchdogSeconds}
# Without it systemd has it abort, and then the runtime reports a crash of its own that was none.
WatchdogSignal=SIGKILL
Restart=on-failure
RestartSec=2
# The data directory is gone: a start would begin an empty store there.
RestartPreventExitStatus=${finalExitCodes.join(" ")}
# Nor may the next connection start it, where systemd listens.
ExecStopPost=-+/bin/sh -c 'case "$$EXIT_STATUS" in ${finalExitCodes.join("|")}) exec systemctl --no-block stop ${name}.socket "${name}-*.socket";; esac'
# An upgrade of a large database takes its time.
TimeoutStartSec=infinity
TimeoutStopSec=${service.stopSeconds}
KillMode=mixed
LimitNOFILE=${service.openFiles}
${HARDENING}

[Install]
WantedBy=multi-user.target
`;
}

/** The unit with which systemd listens for the server: its restarts lose no connection then. */
export function systemdSocketUnit({ name, summary, host, port }: ServiceDescription): string {
  return `[Unit]
Description=${summary}: where it listens

[Socket]
# Also below 1024, without a privilege of the service.
ListenStream=${host}:${port}

[Install]
WantedBy=sockets.target
# While this is enabled, the service needs it, and does not listen by itself.
RequiredBy=${name}.service
`;
}

/** What an operator changes of the unit: an upgrade writes the unit anew, and leaves this. */
export function systemdDropIn({ settingsFile }: ServiceDescription): string {
  return `# What is here goes before what the unit says, and upgrades leave it. Settings can also be in ${settingsFile}.
[Service]
#Environment=COFFER_BASE_URL=https://files.example.com
# Another disk must be named to be written: by where it is mounted, so that it is in use while the server runs. With the
# minus sign, the server also starts without it.
#Environment=COFFER_BACKUP=/mnt/backup/coffer
#ReadWritePaths=-/mnt/backup
`;
}

/** @param hasSocket whether systemd listens for the server */
export function systemdInstallation(service: ServiceDescription, hasSocket: boolean): Installation {
  const { name, user, dataDir, settingsFile } = service;
  const units = "/etc/systemd/system";
  const socketFile = { path: `${units}/${name}.socket`, text: systemdSocketUnit(service), mode: 0o644 };
  return {
    files: [
      { path: `${units}/${name}.service`, text: systemdUnit(service), mode: 0o644, isKept: false },
      ...(hasSocket ? [{ ...socketFile, isKept: false }] : []),
      {
        path: `${units}/${name}.service.d/settings.conf`,
        text: systemdDropIn(service),
        mode: 0o644,
        isKept: true,
      },
      { path: settingsFile, text: SETTINGS_TEXT, mode: 0o600, isKept: true },
    ],
    commands: [
      {
        run: [
          "useradd",
          "--system",
          "--user-group",
          "--home-dir",
          dataDir,
          "--shell",
          "/usr/sbin/nologin",
          user,
        ],
        unless: ["id", "-u", user],
      },
      { run: ["install", "-d", "-m", "0700", "-o", user, "-g", user, dataDir] },
      { run: ["systemctl", "daemon-reload"] },
      ...(hasSocket ? socketCommands(name) : []),
      { run: ["systemctl", "enable", "--now", name] },
    ],
  };
}

/** What has systemd listen, also where a server does so by itself. */
function socketCommands(name: string): Installation["commands"] {
  return [{ run: ["systemctl", "stop", name] }, { run: ["systemctl", "enable", "--now", `${name}.socket`] }];
}

/** In systemd's own place for state it makes the directory itself. */
function placeOf(dataDir: string): string {
  const state = /^\/var\/lib\/([\w.-]+)$/.exec(dataDir)?.[1];
  if (state === undefined) return `ReadWritePaths=${quoted(dataDir)}`;
  return `StateDirectory=${state}\nStateDirectoryMode=0700`;
}

/** A word of a unit: systemd reads backslashes, quotation marks, and % as the start of a specifier. */
function quoted(text: string): string {
  const escaped = text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll("%", "%%");
  return /^[\w/.=:-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
