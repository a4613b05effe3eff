import { fstatSync, readFileSync, statSync } from "node:fs";
import { once } from "../domain/once.ts";
import { CommandError, type Terminal } from "./command.ts";
import { LineWriter } from "./line-writer.ts";
import { sinkWriter } from "./sink-writer.ts";
import { ttyWriter } from "./tty-writer.ts";

/** How long a reader of standard output that reads nothing may delay the exit, in milliseconds. */
const LAST_LINES_MS = 1000;

const STDOUT = 1;
const STDERR = 2;

const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;

/** Signals that end a process which does not expect them, and ask nothing of this one. Timers of others send some. */
const OTHER_SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGPROF", "SIGIO"] as const;

/**
 * How long a second signal counts as a copy of the first, in milliseconds. Under `npm start` the terminal sends
 * Ctrl-C to npm and to this process, and npm forwards its own. The same happens with SIGHUP and a shell.
 */
const COPY_MS = 1000;

export function processTerminal(): Terminal {
  const [isTerminal, showsProgress] = [isTerminalAt(STDOUT), isTerminalAt(STDERR)];
  const output = once(() => sinkWriter(STDOUT));
  const lines = new LineWriter((isTerminal ? ttyWriter(STDOUT) : null) ?? output());
  const errors = new LineWriter((showsProgress ? ttyWriter(STDERR) : null) ?? sinkWriter(STDERR));
  let dropsLines = false;
  process.on("exit", () => lines.flush());
  const progress = newProgress(showsProgress);
  return {
    out: (line) => {
      progress.clear();
      lines.add(line);
    },
    progress: progress.show,
    err: (line) => {
      progress.clear();
      errors.add(line);
      errors.flush();
    },
    isTerminal,
    dropUnread: (report) => {
      dropsLines = true;
      lines.dropBeyondLimit(report);
    },
    askSecret,
    readInput: () => Bun.stdin.text(),
    outBytes: (bytes) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      output()(bytes, (error) => (error instanceof Error ? reject(error) : resolve()));
      return promise;
    },
    inputBytes: () => Bun.stdin.stream(),
    stopRequest,
    ignoreOtherSignals: (report) => {
      for (const signal of OTHER_SIGNALS) process.on(signal, () => report(signal));
    },
    finish: async () => {
      const written = Promise.all([lines.idle(), errors.idle()]);
      await (dropsLines ? Promise.race([written, Bun.sleep(LAST_LINES_MS)]) : written);
    },
  };
}

/** Whether a terminal is behind standard output or standard error. */
function isTerminalAt(descriptor: typeof STDOUT | typeof STDERR): boolean {
  // Only for a device Node's stream is asked, which takes several milliseconds to make.
  if (!isDevice(descriptor)) return false;
  const stream = descriptor === STDOUT ? process.stdout : process.stderr;
  // A terminal that is gone is not our error; without a listener it would end the process.
  stream.on("error", () => {});
  return stream.isTTY;
}

/** Whether a device other than the null device is behind a descriptor. */
function isDevice(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    return found.isCharacterDevice() && found.rdev !== statSync("/dev/null").rdev;
  } catch {
    // It is closed.
    return false;
  }
}

/** How often progress is shown, in milliseconds. */
const PROGRESS_MS = 200;

/** One line of a terminal that is written over again and again. */
function newProgress(isShown: boolean) {
  let shownAt = -Infinity;
  return {
    show: (text: string) => {
      if (!isShown || performance.now() - shownAt < PROGRESS_MS) return;
      shownAt = performance.now();
      process.stderr.write(`\r\u001b[2K${text}`);
    },
    clear: () => {
      if (shownAt !== -Infinity) process.stderr.write("\r\u001b[2K");
      shownAt = -Infinity;
    },
  };
}

function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of STOP_SIGNALS) {
      if (signal === "SIGHUP" && ignoresHangUp()) continue;
      process.once(signal, () => {
        resolve(signal);
        let isCopy = true;
        setTimeout(() => (isCopy = false), COPY_MS).unref();
        // A second signal ends the process at once.
        process.on(signal, () => {
          if (!isCopy) process.exit(1);
        });
      });
    }
  });
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

const ENTER = /[\r\n]/;
const INTERRUPT = "\u0003";
const ERASE = /[\u007f\b]/;

function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new CommandError("There is no terminal to ask for the password: use --password-stdin.");
  }
  stderr.write(question);
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.resume();
  return new Promise((resolve, reject) => {
    let secret = "";
    const listen = (keys: string) => {
      for (const key of keys) {
        if (ENTER.test(key) || key === INTERRUPT) {
          stdin.off("data", listen);
          stdin.setRawMode(false);
          stdin.pause();
          stderr.write("\n");
          if (key === INTERRUPT) reject(new CommandError("Interrupted."));
          else resolve(secret);
          return;
        }
        secret = ERASE.test(key) ? secret.slice(0, -1) : secret + key;
      }
    };
    stdin.on("data", listen);
  });
}
