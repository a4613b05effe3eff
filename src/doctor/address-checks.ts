import { messageOf } from "../domain/errors.ts";
import { DAY_MS } from "../domain/time.ts";
import { basePathOf } from "../domain/network/base-path.ts";
import { certificateOf } from "../network/certificate.ts";
import { type Check, ok, warning, wrong } from "./check.ts";

/** How long the server may take to answer, in milliseconds. */
const PATIENCE_MS = 10_000;
/** Days. What renews certificates by itself has done so long before. */
const SOON = 14;

/** The address as others see it, its certificate, and how applications find the way to sign in. @param baseUrl null if none is configured */
export async function addressChecks(baseUrl: string | null, now: number): Promise<Check[]> {
  if (baseUrl === null) {
    return [ok("address", "COFFER_BASE_URL is not set: links begin with the address of each request")];
  }
  const isSecret = baseUrl.startsWith("https:");
  return Promise.all([
    addressCheck(baseUrl),
    ...(isSecret ? [certificateCheck(baseUrl, now)] : []),
    ...(basePathOf(baseUrl) === "" ? [] : [signInCheck(new URL(baseUrl))]),
  ]);
}

async function addressCheck(baseUrl: string): Promise<Check> {
  const url = `${baseUrl}/healthz`;
  const advice = "Check COFFER_BASE_URL, the name's address, the proxy before the server, and the firewall.";
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (answer.ok && (await answer.text()).includes('"ok"')) return ok("address", `${url} answers`);
    return wrong("address", `${url} answers ${answer.status}, and not as Coffer does`, advice);
  } catch (error) {
    return wrong("address", `${url} does not answer: ${messageOf(error)}`, advice);
  }
}

/**
 * Under a path applications look for the server's description at the root of the host (RFC 8414, 3.1), which the proxy
 * must pass on too.
 */
async function signInCheck(base: URL): Promise<Check> {
  const url = `${base.origin}/.well-known/oauth-authorization-server${basePathOf(base.href)}`;
  const advice = `Have the proxy pass ${new URL(url).pathname} on as well: applications look there for how to sign in.`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const text = await answer.text();
    // A server without users refuses it.
    const isOurs = text.includes(`"issuer":"${base.href}"`) || text.includes("This server has no users yet");
    if (isOurs) return ok("sign-in", `${url} answers`);
    return warning("sign-in", `${url} answers ${answer.status}, and not as Coffer does`, advice);
  } catch (error) {
    return warning("sign-in", `${url} does not answer: ${messageOf(error)}`, advice);
  }
}

async function certificateCheck(baseUrl: string, now: number): Promise<Check> {
  try {
    const { validUntil, distrust } = await certificateOf(new URL(baseUrl));
    const days = Math.floor((validUntil - now) / DAY_MS);
    const found = `the certificate of ${baseUrl} is valid for ${days} more days`;
    const advice = "Renew it, and see why that did not happen by itself.";
    if (days < 0) return wrong("certificate", `the certificate of ${baseUrl} has expired`, advice);
    if (distrust !== null) {
      const why = `this machine does not trust the certificate of ${baseUrl}: ${distrust}`;
      return wrong("certificate", why, "Serve the whole chain, for the name in COFFER_BASE_URL.");
    }
    return days < SOON ? warning("certificate", found, advice) : ok("certificate", found);
  } catch (error) {
    const found = `${baseUrl} shows none: ${messageOf(error)}`;
    return wrong("certificate", found, "Check the address, and what serves TLS there.");
  }
}
