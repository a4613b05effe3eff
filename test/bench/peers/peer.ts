import { mkdir } from "node:fs/promises";
import { freePort, untilItAnswers } from "../../support/server/executable.ts";
import { type Call, type RepeatedCall, send } from "../load.ts";
import type { PeerName } from "../table.ts";

/** A server that is measured. */
export interface Peer {
  readonly name: PeerName;
  /** Starts it and waits for its first answer. Keeps everything in this directory, which may be new. */
  readonly start: (directory: string) => Promise<Started>;
}

/** A server that runs; killed at the end of its scope. */
export interface Started extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Signs in. */
  readonly open: () => Promise<Store>;
}

/** What the measurements ask of a server, in requests of its own. */
export interface Store {
  /** Uploads a new file of 4 KiB. */
  readonly smallUpload: RepeatedCall;
  /** Uploads bytes, as they are or in a form. */
  readonly upload: (path: string, content: Uint8Array<ArrayBuffer>) => Call;
  /** Uploads a content inside JSON; missing where there is no such thing. */
  readonly jsonUpload?: (path: string, base64: Uint8Array) => Call;
  /** Uploads a content. Returns the request that downloads it. */
  readonly store: (path: string, content: Uint8Array<ArrayBuffer>) => Promise<RepeatedCall>;
  /** Makes so many records of files. */
  readonly records: (count: number) => Promise<RecordPages>;
}

/** Requests for the records of files. */
export interface RecordPages {
  /** One page of 50. */
  readonly first?: RepeatedCall;
  /** All of them, in pages of 1,000 where there are pages. Missing if the peer cannot list. */
  readonly all?: readonly Call[];
}

/** How to run a server. */
interface Command {
  readonly command: (port: number) => readonly string[] | Promise<readonly string[]>;
  /** What it answers with a success once it is ready. */
  readonly ready: string;
  readonly open: (url: string) => Promise<Store>;
}

/** Starts a server in this directory on a free port and waits for its first answer. */
export async function startCommand(directory: string, { command, ready, open }: Command): Promise<Started> {
  await mkdir(directory, { recursive: true });
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const errors = Bun.file(`${directory}/errors.log`);
  const child = Bun.spawn([...(await command(port))], { stdin: "ignore", stdout: "ignore", stderr: errors });
  if (!(await untilItAnswers(child, url + ready))) throw new Error(`it ended: ${await errors.text()}`);
  return {
    url,
    pid: child.pid,
    open: () => open(url),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await child.exited;
    },
  };
}

/** The requests for files that are put to their paths, and taken from there. */
export function plainFiles(url: string, root: string, headers: Call["headers"]): Omit<Store, "records"> {
  const upload = (path: string, content: Uint8Array<ArrayBuffer>) => ({
    method: "PUT",
    target: `${root}${path}`,
    headers,
    body: content,
  });
  return {
    smallUpload: { method: "PUT", target: `${root}small/{n}.txt`, headers, body: SMALL_TEXT },
    upload,
    store: async (path, content) => {
      await send(url, upload(path, content));
      return { method: "GET", target: `${root}${path}`, headers };
    },
  };
}

/** JSON with these fields and a content behind them. */
export function jsonWith(fields: object, base64: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = JSON.stringify({ ...fields, content: "" }).slice(0, -2);
  return Buffer.concat([Buffer.from(head), base64, Buffer.from('"}')]);
}

/** Text of 4 KiB that differs with `{n}`. */
export const SMALL_TEXT = `{n} ${crypto.getRandomValues(new Uint8Array(3072)).toBase64()}`.slice(0, 4096);
