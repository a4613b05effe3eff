#!/usr/bin/env node
// Runs the executable of this system, which npm has installed as one of the optional dependencies.
"use strict";
const { spawn } = require("node:child_process");

const SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP", "SIGUSR1", "SIGUSR2"];

function executable() {
  const { platform, arch, report } = process;
  const isMusl = platform === "linux" && report.getReport().header.glibcVersionRuntime === undefined;
  const name = `coffer-${platform}-${arch}${isMusl ? "-musl" : ""}`;
  try {
    return require.resolve(`${name}/bin/coffer${platform === "win32" ? ".exe" : ""}`);
  } catch {
    process.stderr.write(
      `coffer: the package ${name} is missing. Install coffer without --omit=optional; there is none for every system.\n`,
    );
    return process.exit(1);
  }
}

const child = spawn(executable(), process.argv.slice(2), { stdio: "inherit" });
for (const signal of process.platform === "win32" ? [] : SIGNALS)
  process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`coffer: ${error.message}\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // Ends as the executable did.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
