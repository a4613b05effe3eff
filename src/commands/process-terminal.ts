import { CommandError, type Terminal } from "./command.ts";
import { LineWriter } from "./line-writer.ts";

const STOP_SIGNALS = ["SIGTERM", "SIGINT"] as const;

/**
 * How long after a signal the same one is taken as its copy, in milliseconds: under `npm start` the terminal
 * sends Ctrl-C to npm and to this process, and npm passes its own on.
 */
const COPY_MS = 1000;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const lines = new LineWriter((text) => void process.stdout.write(text));
  process.on("exit", () => lines.flush());
  return {
    out: (line) => lines.add(line),
    err: (line) => void process.stderr.write(`${line}\n`),
    isTerminal: process.stdout.isTTY,
    askSecret,
    readInput: () => Bun.stdin.text(),
    stopRequest: () =>
      new Promise((resolve) => {
        for (const signal of STOP_SIGNALS) {
          process.once(signal, () => {
            resolve(signal);
            let isCopy = true;
            setTimeout(() => (isCopy = false), COPY_MS).unref();
            // A second signal ends the process at once, whatever it is waiting for.
            process.on(signal, () => {
              if (!isCopy) process.exit(1);
            });
          });
        }
      }),
  };
}

const ENTER = /[\r\n]/;
const INTERRUPT = "\u0003";
const ERASE = /[\u007f\b]/;

function askSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) {
    throw new CommandError("There is no terminal to ask for the password on: use --password-stdin.");
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
