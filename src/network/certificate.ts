import { connect } from "node:tls";

/** How long a server may take to show its certificate, in milliseconds. */
const PATIENCE_MS = 10_000;
const HTTPS_PORT = 443;

/** What a server shows to who connects with TLS. */
export interface ShownCertificate {
  /** Milliseconds since the epoch. */
  readonly validUntil: number;
  /** Why it is not trusted on this machine; null if it is. */
  readonly distrust: string | null;
}

/** Connects as a browser would, and reads the certificate. Rejects if there is no connection. */
export function certificateOf({ hostname, port }: URL): Promise<ShownCertificate> {
  const host = hostname.replaceAll(/[[\]]/g, "");
  const { promise, resolve, reject } = Promise.withResolvers<ShownCertificate>();
  // It is only read: nothing is sent to who is not trusted.
  const socket = connect({
    host,
    port: port === "" ? HTTPS_PORT : Number(port),
    servername: host,
    rejectUnauthorized: false,
  });
  socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("it does not answer")));
  socket.once("error", reject);
  socket.once("secureConnect", () => {
    const { authorized, authorizationError } = socket;
    const validUntil = Date.parse(socket.getPeerCertificate().valid_to);
    resolve({ validUntil, distrust: authorized ? null : String(authorizationError) });
    socket.destroy();
  });
  return promise;
}
