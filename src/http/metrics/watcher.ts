import { isLoopback } from "../../domain/network/loopback.ts";
import { CofferError } from "../../domain/errors.ts";
import { once } from "../../domain/once.ts";
import { normalise } from "../connection/client-address.ts";
import { bearerToken } from "../gate/gate.ts";

/** Who may read the metrics. */
export interface WatcherOptions {
  /** If there is one, nobody may without it; null if whoever is on this machine may. */
  readonly metricsToken: { reveal(): string } | null;
  /** What commands send that may read the data directory; see `ownerTokenOf`. */
  readonly ownerToken: () => string;
  /** Where others reach the server; `/` if that is not configured. */
  readonly baseUrl: string;
  readonly isTrustedPeer: (peer: string | undefined) => boolean;
}

/**
 * What Prometheus and its like send. A proxy passes requests of others on from this machine, and so does a browser for
 * the pages of others: both add headers, of which many names are in use. So only these are let through.
 */
const SENT_BY_WATCHERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "connection",
  "host",
  "user-agent",
  "x-prometheus-scrape-timeout-seconds",
]);

const REFUSED =
  "Metrics are for callers on this machine that ask the server itself. To read them from elsewhere, or where the server is behind a proxy or has a base URL, set COFFER_METRICS_TOKEN, and send it as `Authorization: Bearer <token>`.";

const nodeCrypto = once(() => process.getBuiltinModule("node:crypto"));

/** Makes what throws UNAUTHORIZED for who may not read the metrics. @param peer the other end of the connection */
export function watcherCheck({ metricsToken, ownerToken, baseUrl, isTrustedPeer }: WatcherOptions) {
  // Then a proxy may be before the server that says nothing of whom it asks for.
  const isPublished = !isLoopback(new URL(baseUrl, "http://localhost").hostname);
  return ({ headers }: Request, peer: string | undefined): void => {
    const sent = bearerToken(headers.get("authorization"));
    if (sent !== null && isSame(sent, ownerToken())) return;
    const isAllowed =
      metricsToken === null
        ? !isPublished && !isTrustedPeer(peer) && isOnThisMachine(peer) && isDirect(headers)
        : isSame(sent ?? "", metricsToken.reveal());
    if (!isAllowed) throw new CofferError("UNAUTHORIZED", REFUSED);
  };
}

function isOnThisMachine(peer: string | undefined): boolean {
  const address = normalise(peer ?? "");
  return address !== null && (address === "0:0:0:0:0:0:0:1" || address.startsWith("127."));
}

/** Whether the sender means this machine, and nothing says that it asks for somebody else. */
function isDirect(headers: Headers): boolean {
  const url = `http://${headers.get("host") ?? ""}`;
  if (!URL.canParse(url) || !isLoopback(new URL(url).hostname)) return false;
  // A proxy that adds nothing else often ends its connection with each request.
  if (headers.get("connection")?.toLowerCase() === "close") return false;
  return Array.from(headers.keys()).every((name) => SENT_BY_WATCHERS.has(name));
}

/** Takes as long wherever they differ. */
function isSame(sent: string, token: string): boolean {
  return nodeCrypto().timingSafeEqual(Bun.SHA256.hash(sent), Bun.SHA256.hash(token));
}
