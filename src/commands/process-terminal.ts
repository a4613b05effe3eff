import { readFileSync } from "node:fs";
import { CommandError, type Terminal } from "./command.ts";
import { LineWriter } from "./line-writer.ts";
import { ttyWriter } from "./tty-writer.ts";

/** How long a reader of standard output that reads nothing may delay the exit, in milliseconds. */
const LAST_LINES_MS = 1000;

/** Signals that ask the process to end. */
const STOP_SIGNALS = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGHUP"] as const;

/**
 * How long a second signal counts as a copy of the first, in milliseconds. Under `npm start` the terminal sends
 * Ctrl-C to npm and to this process, and npm forwards its own. The same happens with SIGHUP and a shell.
 */
const COPY_MS = 1000;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const lines = writerTo(process.stdout, 1);
  const errors = writerTo(process.stderr, 2);
  let dropsLines = false;
  process.on("exit", () => lines.flush());
  const progress = progressOn(process.stderr);
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
    isTerminal: process.stdout.isTTY,
    dropUnread: (report) => {
      dropsLines = true;
      lines.dropBeyondLimit(report);
    },
    askSecret,
    readInput: () => Bun.stdin.text(),
    outBytes,
    inputBytes: () => Bun.stdin.stream(),
    stopRequest,
    finish: async () => {
      const written = Promise.all([lines.idle(), errors.idle()]);
      await (dropsLines ? Promise.race([written, Bun.sleep(LAST_LINES_MS)]) : written);
    },
  };
}

/** A writer to a stream. A closed reader is not our error; without a listener it would end the process. */
function writerTo(stream: NodeJS.WriteStream, descriptor: number): LineWriter {
  stream.on("error", () => {});
  const toTerminal = stream.isTTY ? ttyWriter(descriptor) : null;
  return new LineWriter(toTerminal ?? ((text, done) => void stream.write(text, done)));
}

function outBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
}

/** How often progress is shown, in milliseconds. */
const PROGRESS_MS = 200;

/** One line of a terminal that is written over again and again. */
function progressOn(stream: NodeJS.WriteStream) {
  let shownAt = -Infinity;
  return {
    show: (text: string) => {
      if (!stream.isTTY || performance.now() - shownAt < PROGRESS_MS) return;
      shownAt = performance.now();
      stream.write(`\r\u001b[2K${text}`);
    },
    clear: () => {
      if (shownAt !== -Infinity) stream.write("\r\u001b[2K");
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
