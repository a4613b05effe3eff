import { join } from "node:path";
import type { Installation, ServiceDescription } from "./description.ts";

/** 077, which launchd wants in decimal digits. */
const UMASK = 63;

/**
 * The property list of launchd, which cannot except an exit code: so it keeps the server alive while its database is
 * there, and not where a disk is to be mounted.
 */
export function launchdPlist({
  name,
  program,
  dataDir,
  user,
  openFiles,
  stopSeconds,
}: ServiceDescription): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${escaped(name)}</string>
  <key>ProgramArguments</key>
  <array>
    <string>${escaped(program)}</string>
    <string>serve</string>
  </array>
  <key>UserName</key>
  <string>${escaped(user)}</string>
  <key>EnvironmentVariables</key>
  <dict>
    <key>COFFER_DATA_DIR</key>
    <string>${escaped(dataDir)}</string>
  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>PathState</key>
    <dict>
      <key>${escaped(join(dataDir, "coffer.db"))}</key>
      <true/>
    </dict>
  </dict>
  <key>ExitTimeOut</key>
  <integer>${stopSeconds}</integer>
  <key>Umask</key>
  <integer>${UMASK}</integer>
  <key>SoftResourceLimits</key>
  <dict>
    <key>NumberOfFiles</key>
    <integer>${openFiles}</integer>
  </dict>
  <key>StandardOutPath</key>
  <string>${escaped(logOf(name))}</string>
  <key>StandardErrorPath</key>
  <string>${escaped(logOf(name))}</string>
</dict>
</plist>
`;
}

/** The list is kept once it is there: settings are in it, as launchd reads no file of variables. */
export function launchdInstallation(service: ServiceDescription): Installation {
  const path = `/Library/LaunchDaemons/${service.name}.plist`;
  return {
    files: [{ path, text: launchdPlist(service), mode: 0o644, isKept: true }],
    commands: [
      { run: ["install", "-d", "-m", "0700", "-o", service.user, service.dataDir] },
      { run: ["launchctl", "bootstrap", "system", path] },
    ],
  };
}

function logOf(name: string): string {
  return `/var/log/${name}.log`;
}

function escaped(text: string): string {
  return Bun.escapeHTML(text);
}
