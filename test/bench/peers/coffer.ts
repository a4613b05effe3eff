import { type Agent, type Server, serveSilently, signUp } from "../../support/server/executable.ts";
import { addManyFiles } from "../../support/samples/many-files.ts";
import { type Call, sendForJson } from "../load.ts";
import { RECORD_TEXT } from "../contents.ts";
import { jsonWith, type Peer, plainFiles, type RecordPages, type Store } from "./peer.ts";

/** The executable. */
export const coffer: Peer = {
  name: "Coffer",
  start: async (directory) => {
    const server = await serveSilently({ dataDir: directory });
    return {
      url: server.url,
      pid: server.pid,
      open: async () => storeOf(server, await signUp(server, "ada")),
      [Symbol.asyncDispose]: () => server.kill(),
    };
  },
};

/** The requests of an agent. */
export function storeOf(server: Server, agent: Agent): Store {
  const headers = { authorization: `Bearer ${agent.key}` };
  const files = (query: string) => `/v0/files?drive_id=${agent.drive}&${query}`;
  const list = (query: string) => ({ method: "GET", target: files(query), headers });
  const puts = plainFiles(server.url, files("path="), headers);
  return {
    ...puts,
    jsonUpload: (path, base64) => ({
      method: "POST",
      target: "/v0/files",
      headers: { ...headers, "content-type": "application/json" },
      body: jsonWith({ drive_id: agent.drive, path }, base64),
    }),
    store: async (path, content) => {
      const { id } = await sendForJson<{ id: string }>(server.url, puts.upload(path, content));
      return { method: "GET", target: `/v0/files/${id}/download`, headers };
    },
    records: async (count) => {
      await fillDrive(server, agent, count - 1);
      return { first: list("limit=50"), all: await pagesOf(server.url, list) };
    },
  };
}

/** Creates one file by an upload, and `count` more with the same content in the folder `many/`. */
export async function fillDrive(server: Server, { client, drive }: Agent, count: number): Promise<void> {
  const { id } = await client.put(drive, "first.txt", RECORD_TEXT);
  await addManyFiles(server.dataDir, id, count);
}

/** The requests for all pages of 1,000, each with the cursor of the one before. */
async function pagesOf(url: string, list: (query: string) => Call): Promise<NonNullable<RecordPages["all"]>> {
  const pages: Call[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Call = list(`limit=1000${cursor === "" ? "" : `&cursor=${cursor}`}`);
    pages.push(page);
    cursor = (await sendForJson<{ next_cursor: string | null }>(url, page)).next_cursor;
  }
  return pages;
}
