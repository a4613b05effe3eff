import { existsSync } from "node:fs";

/** Debian's packages with what the bench can use, and how to see that they are there. */
const PACKAGES: Readonly<Record<string, () => boolean>> = {
  "nginx-light": () => nginx() !== null,
  "libnginx-mod-http-dav-ext": () => existsSync(NGINX_DAV_EXT),
  wrk: () => Bun.which("wrk") !== null,
  strace: () => Bun.which("strace") !== null,
};

/** The module with which nginx lists a directory over WebDAV. */
export const NGINX_DAV_EXT = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so";

/** Where nginx is; it is not on everybody's PATH. */
export function nginx(): string | null {
  return Bun.which("nginx", { PATH: `${process.env["PATH"]}:/usr/sbin` });
}

/** Installs what is missing, if this user may. Returns the packages that are missing still. */
export async function installTools(): Promise<string[]> {
  if (missing().length > 0 && process.getuid?.() === 0 && Bun.which("apt-get") !== null) {
    process.stderr.write(`Installing ${missing().join(", ")}\n`);
    // With a run level of 1, Debian starts no service of a package that it installs.
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
    const install = ["apt-get", "-qq", "install", "-y", "--no-install-recommends", ...missing()];
    for (const command of [["apt-get", "-qq", "update"], install]) {
      await Bun.spawn(command, { env, stdin: "ignore", stdout: "ignore", stderr: "ignore", timeout: 120_000 })
        .exited;
    }
  }
  return missing();
}

function missing(): string[] {
  return Object.keys(PACKAGES).filter((name) => PACKAGES[name]?.() === false);
}
