import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { nginx as executable, NGINX_DAV_EXT } from "../tools.ts";
import { recordOf, RECORD_TEXT } from "../contents.ts";
import { type Peer, plainFiles, startCommand, type Store } from "./peer.ts";

const KEY = "a-key-of-the-bench";
const headers = { authorization: `Bearer ${KEY}` };

/** nginx, which takes and gives files over WebDAV: it checks one key and keeps no records. Throws if there is none. */
export function nginx(): Peer {
  const program = executable();
  if (program === null) throw new Error("not installed");
  return {
    name: "nginx",
    start: (directory) =>
      startCommand(directory, {
        command: async (port) => {
          await mkdir(join(directory, "files"), { recursive: true });
          await Bun.write(join(directory, "nginx.conf"), configuration(directory, port));
          return [program, "-p", directory, "-c", join(directory, "nginx.conf"), "-e", "stderr"];
        },
        ready: "/ready",
        open: async (url) => storeAt(url, directory),
      }),
  };
}

function configuration(directory: string, port: number): string {
  const canList = existsSync(NGINX_DAV_EXT);
  return `
    daemon off;
    ${process.getuid?.() === 0 ? "user root;" : ""}
    worker_processes auto;
    pid nginx.pid;
    ${canList ? `load_module ${NGINX_DAV_EXT};` : ""}
    events {}
    http {
      access_log access.log;
      client_body_temp_path body;
      proxy_temp_path unused;
      fastcgi_temp_path unused;
      uwsgi_temp_path unused;
      scgi_temp_path unused;
      client_max_body_size 0;
      keepalive_requests 1000000;
      sendfile on;
      server {
        listen 127.0.0.1:${port};
        root ${join(directory, "files")};
        location = /ready { return 200; }
        location / {
          if ($http_authorization != "Bearer ${KEY}") { return 401; }
          dav_methods PUT DELETE;
          ${canList ? "dav_ext_methods PROPFIND OPTIONS;" : ""}
          create_full_put_path on;
        }
      }
    }`;
}

function storeAt(url: string, directory: string): Store {
  return {
    ...plainFiles(url, "/", headers),
    records: async (count) => {
      if (!existsSync(NGINX_DAV_EXT)) return {};
      for (let n = 1; n <= count; n += 1) {
        await Bun.write(join(directory, "files", recordOf(n).path), RECORD_TEXT);
      }
      return { all: [{ method: "PROPFIND", target: "/many/", headers: { ...headers, depth: "1" } }] };
    },
  };
}
