import { type Installation, SETTINGS_TEXT, type ServiceDescription } from "./description.ts";

/** The script of OpenRC, without its supervisor: that would start the server again whatever the exit code is. */
export function openrcScript(service: ServiceDescription): string {
  const { summary, program, dataDir, user, settingsFile, stopSeconds, openFiles } = service;
  return `#!/sbin/openrc-run
description=${quoted(summary)}
command=${quoted(program)}
command_args="serve"
command_user=${quoted(`${user}:${user}`)}
command_background=yes
pidfile="/run/\${RC_SVCNAME}.pid"
output_log="/var/log/\${RC_SVCNAME}.log"
error_log="/var/log/\${RC_SVCNAME}.log"
retry="TERM/${stopSeconds}/KILL/5"
rc_ulimit="-n ${openFiles}"
umask=077

set -a
COFFER_DATA_DIR=${quoted(dataDir)}
[ ! -f ${quoted(settingsFile)} ] || . ${quoted(settingsFile)}
set +a

${functionsOf(quoted(`${user}:${user}`))}
`;
}

/** @param owner of the data directory and the log, quoted */
function functionsOf(owner: string): string {
  return [
    "depend() {",
    "  need localmount",
    "  use net",
    "}",
    "",
    "start_pre() {",
    `  checkpath -d -m 0700 -o ${owner} "$COFFER_DATA_DIR"`,
    `  checkpath -f -m 0640 -o ${owner} "$output_log"`,
    "}",
  ].join("\n");
}

export function openrcInstallation(service: ServiceDescription): Installation {
  const { name, user, dataDir, settingsFile } = service;
  return {
    files: [
      { path: `/etc/init.d/${name}`, text: openrcScript(service), mode: 0o755, isKept: false },
      { path: settingsFile, text: SETTINGS_TEXT, mode: 0o600, isKept: true },
    ],
    commands: [
      { run: ["addgroup", "-S", user], unless: ["id", "-u", user] },
      {
        run: ["adduser", "-S", "-D", "-H", "-h", dataDir, "-s", "/sbin/nologin", "-G", user, user],
        unless: ["id", "-u", user],
      },
      { run: ["rc-update", "add", name, "default"] },
      { run: ["rc-service", name, "start"] },
    ],
  };
}

/** For the shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
