import { join } from "node:path";
import { send } from "../load.ts";
import { jsonWith, type Peer, plainFiles, startCommand, type Store } from "./peer.ts";

const SCRIPT = join(import.meta.dir, "bare-server.ts");
const KEY = "a-key-of-the-bench";

/** `Bun.serve` with the least that could store and answer the same: what the runtime itself takes. */
export const bare: Peer = {
  name: "bare Bun",
  start: (directory) =>
    startCommand(directory, {
      command: (port) => [process.execPath, SCRIPT, directory, String(port), KEY],
      ready: "/ready",
      open: async (url) => storeAt(url),
    }),
};

function storeAt(url: string): Store {
  const headers = { authorization: `Bearer ${KEY}` };
  const list = (limit: number, after: number) => ({
    method: "GET",
    target: `/records?limit=${limit}&after=${after}`,
    headers,
  });
  return {
    ...plainFiles(url, "/files/", headers),
    jsonUpload: (path, base64) => ({
      method: "POST",
      target: "/files",
      headers,
      body: jsonWith({ path }, base64),
    }),
    records: async (count) => {
      await send(url, { method: "POST", target: `/records?count=${count}`, headers });
      const pages = Array.from({ length: Math.ceil(count / 1000) }, (_, i) => list(1000, i * 1000));
      return { first: list(50, 0), all: pages };
    },
  };
}
