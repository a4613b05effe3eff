import { join } from "node:path";
import { makeCertificate } from "../samples/certificates.ts";
import { freePort } from "../server/executable.ts";
import { whyCannot } from "../server/skip.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";

/** Why tests that need Pebble are skipped; empty if it can be started. */
export const NO_PEBBLE = whyCannot(["true"], "", ["pebble", "pebble-challtestsrv"]);

/** Let's Encrypt's authority for tests, and a name server of which all names lead to this machine. */
export interface Pebble extends AsyncDisposable {
  /** The URL of its directory. */
  readonly directory: string;
  /** The path of the certificate that it shows to who asks it. */
  readonly ca: string;
}

/** Starts it. It refuses some nonces, as it does by itself. @param httpPort where it looks for answers to challenges */
export async function startPebble(httpPort: number): Promise<Pebble> {
  await using opened = new AsyncDisposableStack();
  const place = opened.use(await temporaryDirectory());
  const shown = await makeCertificate(place.path, "pebble");
  const [listenPort, managementPort, namesPort, namesManagement] = [
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ];
  const config = join(place.path, "pebble.json");
  await Bun.write(
    config,
    JSON.stringify({
      pebble: {
        listenAddress: `127.0.0.1:${listenPort}`,
        managementListenAddress: `127.0.0.1:${managementPort}`,
        certificate: shown.cert,
        privateKey: shown.key,
        httpPort,
        tlsPort: freePort(),
        ocspResponderURL: "",
        externalAccountBindingRequired: false,
      },
    }),
  );
  const start = (command: string[]) => {
    const child = Bun.spawn(command, {
      // It looks at once, not after some seconds.
      env: { ...process.env, PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "20" },
      stdout: "ignore",
      stderr: "ignore",
    });
    opened.defer(async () => {
      child.kill();
      await child.exited;
    });
    return child;
  };
  const names = `-dns01 127.0.0.1:${namesPort} -management 127.0.0.1:${namesManagement}`;
  // It answers only for names, and knows no other address than the default.
  const unused = ["-http01", "-https01", "-tlsalpn01", "-defaultIPv6"].flatMap((flag) => [flag, ""]);
  start(["pebble-challtestsrv", ...names.split(" "), ...unused]);
  const child = start(["pebble", "-config", config, "-dnsserver", `127.0.0.1:${namesPort}`]);
  const directory = `https://localhost:${listenPort}/dir`;
  const tls = { ca: shown.pair.cert };
  while (child.exitCode === null) {
    const answer = await fetch(directory, { tls }).catch(() => null);
    if (answer?.ok === true) {
      const kept = opened.move();
      return { directory, ca: shown.cert, [Symbol.asyncDispose]: () => kept.disposeAsync() };
    }
    await Bun.sleep(20);
  }
  throw new Error("Pebble ended before it was ready");
}
