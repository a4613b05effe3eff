import { join } from "node:path";
import { makeCertificate } from "../samples/certificates.ts";
import { eventually } from "../server/scenario.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";

/** What people are given. */
const CONFIGURATIONS = join(import.meta.dir, "../../../.github/proxies");

export type ProxyKind = "Caddyfile" | "nginx.conf";

export interface ProxyOptions {
  readonly kind: ProxyKind;
  /** A host of its own, or a path of one. */
  readonly place: "host" | "path";
  readonly isTls: boolean;
  /** Where the proxy listens, and Coffer does. */
  readonly ports: { readonly proxy: number; readonly coffer: number };
}

/** The address of Coffer behind such a proxy, without a slash at its end. */
export function addressBehind({ place, isTls, ports }: ProxyOptions): string {
  return `${isTls ? "https" : "http"}://localhost:${ports.proxy}${place === "path" ? "/coffer" : ""}`;
}

/** A proxy's own files, and where they are. */
interface Given {
  readonly directory: string;
  readonly cert: string;
  readonly key: string;
}

/** At a port of its own, with a certificate of the test's, and without its ways to be told another configuration. */
function forCaddy(text: string, { isTls, ports }: ProxyOptions, { cert, key }: Given): string {
  const site = `${isTls ? "https" : "http"}://localhost:${ports.proxy}`;
  const tls = isTls ? `\ttls ${cert} ${key}\n` : "";
  return `{\n\tadmin off\n\tauto_https off\n}\n${text.replace(/^\S+ \{\n/, `${site} {\n${tls}`)}`;
}

/** The same, in the foreground, and with all that it writes in its directory. */
function forNginx(text: string, { isTls, ports }: ProxyOptions, { directory, cert, key }: Given): string {
  const server = text
    .replace("listen 443 ssl;", `listen 127.0.0.1:${ports.proxy}${isTls ? " ssl" : ""};`)
    .replace(/^ *listen \[::\].*\n/m, "")
    .replace(/^( *ssl_certificate +).*;$/m, isTls ? `$1${cert};` : "")
    .replace(/^( *ssl_certificate_key +).*;$/m, isTls ? `$1${key};` : "");
  const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${directory}/${name};`)
    .join("\n");
  return `daemon off;\npid ${directory}/pid;\nevents {}\nhttp {\naccess_log off;\n${places}\n${server}\n}\n`;
}

/**
 * Starts a reverse proxy with a configuration that people are given, changed only in its addresses: it listens on
 * loopback. It ends with its scope.
 */
export async function startReverseProxy(options: ProxyOptions) {
  const { kind, ports } = options;
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await temporaryDirectory()).path;
  const given = { directory, ...(await makeCertificate(directory, "localhost")) };
  const text = (await Bun.file(join(CONFIGURATIONS, `${options.place}.${kind}`)).text()).replaceAll(
    "127.0.0.1:2633",
    `127.0.0.1:${ports.coffer}`,
  );
  const config = join(directory, kind);
  await Bun.write(config, (kind === "Caddyfile" ? forCaddy : forNginx)(text, options, given));
  const command =
    kind === "Caddyfile"
      ? ["caddy", "run", "--adapter", "caddyfile", "--config", config]
      : ["nginx", "-p", directory, "-e", join(directory, "error.log"), "-c", config];
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const child = Bun.spawn(command, { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  opened.defer(async () => {
    child.kill();
    await child.exited;
  });
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`the proxy ended: ${await child.stderr.text()}`);
    return isOpen(ports.proxy);
  });
  const kept = opened.move();
  return { ca: given.pair.cert, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

async function isOpen(port: number): Promise<boolean> {
  try {
    (await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } })).end();
    return true;
  } catch {
    return false;
  }
}
