import { readFileSync } from "node:fs";

const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;

/** Signals that end a process which does not expect them, and ask nothing of this one. Timers of others send some. */
const OTHER_SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO"] as const;

/**
 * How long a second signal counts as a copy of the first, in milliseconds. Under `npm start` the terminal sends
 * Ctrl-C to npm and to this process, and npm forwards its own. The same happens with SIGHUP and a shell.
 */
const COPY_MS = 1000;

/** Resolves with the name of the first signal to stop. A second one ends the process at once. */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) {
      if (signal === "SIGHUP" && ignoresHangUp()) continue;
      process.once(signal, () => {
        resolve(signal);
        let isCopy = true;
        setTimeout(() => (isCopy = false), COPY_MS).unref();
        process.on(signal, () => {
          if (!isCopy) process.exit(1);
        });
      });
    }
  });
}

/** Calls `report` for each signal that would end the process unsaid although nobody means that; it goes on. */
export function ignoreOtherSignals(report: (signal: string) => void): void {
  for (const signal of OTHER_SIGNALS) process.on(signal, () => report(signal));
}

/** Whether this process was started to outlive its terminal, as `nohup` does. Linux only; else false. */
function ignoresHangUp(): boolean {
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"))?.[1] ?? "0";
    return (BigInt(`0x${ignored}`) & 1n) === 1n;
  } catch {
    // Not Linux.
    return false;
  }
}
