import { type AllowedOrigins, ipVersion, type Subnet } from "../domain/network/address.ts";
import { isLoopback } from "../domain/network/loopback.ts";
import { listOf, Problem } from "./values.ts";

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.?$/i;
// Digits and dots that are not an IPv4 address (1.2.3, 300.1.1.1) would pass as a host name.
const DOTTED_DIGITS = /^[0-9.]+$/;

export function listenHost(text: string): string | Problem {
  const name = HOST_NAME.test(text) && !DOTTED_DIGITS.test(text);
  return name || ipVersion(text) !== 0
    ? text
    : new Problem("must be an IP address (IPv6 without brackets) or a host name, without a port");
}

function subnet(text: string): Subnet | null {
  const [address = "", bits, ...rest] = text.split("/");
  const family = ipVersion(address);
  // A zone (fe80::1%eth0) names a network card: BlockList ignores it and would trust every card.
  if (family === 0 || address.includes("%") || rest.length > 0) return null;
  const width = family === 4 ? 32 : 128;
  if (bits === undefined) return { address, prefix: width, family: family === 4 ? "ipv4" : "ipv6" };
  if (!/^[0-9]{1,3}$/.test(bits) || Number(bits) > width) return null;
  return { address, prefix: Number(bits), family: family === 4 ? "ipv4" : "ipv6" };
}

/** A comma-separated list of IP addresses and CIDR blocks (RFC 4632 and RFC 4291 section 2.3). */
export const subnets = listOf(subnet, "an IP address or a block such as 10.0.0.0/8");

function webUrl(text: string): URL | Problem {
  // The URL parser accepts mistakes: `http:host`, spaces, backslashes.
  if (!/^https?:\/\/[^/\\\s]/i.test(text) || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return new Problem("must be an absolute http or https URL");
  }
  if (/[?#]/.test(text)) return new Problem("must not have a query or a fragment");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^[^/]*\/\/[^/]*@/.test(text)) {
    return new Problem("must not hold a user name or a password");
  }
  return url;
}

/** Segments that proxies, browsers and we read alike: not `..`, nothing that is percent-encoded, no parameters. */
const BASE_PATH = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$/;

/** http or https, perhaps with a path, without trailing `/`. */
export function baseUrl(text: string): string | Problem {
  const url = webUrl(text);
  if (url instanceof Problem) return url;
  // As it was written: the URL parser has removed dot segments.
  const path = text.replace(/^https?:\/\/[^/]+/i, "").replace(/\/+$/, "");
  return BASE_PATH.test(path)
    ? url.origin + path
    : new Problem(
        "may have a path only of letters, digits and -._~ after single slashes, such as https://home.example/coffer",
      );
}

/** Kept as it is, to be compared exactly (OpenID Connect Discovery 1.0, 4.3). https, or http on this machine. */
export function issuerUrl(text: string): string | Problem {
  const url = webUrl(text);
  if (url instanceof Problem) return url;
  return url.protocol === "https:" || isLoopback(url.hostname)
    ? text
    : new Problem("must be an https URL (http only for this machine)");
}

/** Where files are, without trailing `/`. https, or http on this machine. */
export function releasesUrl(text: string): string | Problem {
  const url = webUrl(text);
  if (url instanceof Problem) return url;
  return url.protocol === "https:" || isLoopback(url.hostname)
    ? url.href.replace(/\/+$/, "")
    : new Problem("must be an https URL (http only for this machine)");
}

/** Of a service that the operator has chosen: any http or https, also on this machine or in the local network. */
export function endpointUrl(text: string): string | Problem {
  const url = webUrl(text);
  return url instanceof Problem ? url : url.href;
}

/** As `endpointUrl`, of a service that is told secrets: https alone. */
export function secretEndpointUrl(text: string): string | Problem {
  const url = webUrl(text);
  if (url instanceof Problem) return url;
  return url.protocol === "https:" ? url.href : new Problem("must be an https URL");
}

/** So many names a certificate of Let's Encrypt may have. */
const CERTIFICATE_NAMES = 100;

/** A comma-separated list of host names that a certificate can be for, in the form that URLs have them; none twice. */
export function certificateNames(text: string): readonly string[] | Problem {
  const names = listOf(certificateName, "a host name, without a port or a wildcard")(text);
  if (names instanceof Problem) return names;
  const different = [...new Set(names)];
  return different.length <= CERTIFICATE_NAMES
    ? different
    : new Problem(`must have at most ${CERTIFICATE_NAMES} names`);
}

function certificateName(text: string): string | null {
  if (/[\s/\\?#@:%*]/.test(text) || !URL.canParse(`https://${text}`)) return null;
  // Names in other letters become ASCII, as in a base URL.
  const { hostname } = new URL(`https://${text}`);
  const isName = HOST_NAME.test(hostname) && !DOTTED_DIGITS.test(hostname) && !hostname.endsWith(".");
  return isName ? hostname : null;
}

/** Where people may be written to. What would be more than one address in a `mailto:` URL is refused (RFC 8555, 7.3). */
export function emailAddress(text: string): string | Problem {
  return /^[^\s@,?&<>"]+@[^\s@,?&<>"]+$/.test(text) ? text : new Problem("must be an e-mail address");
}

/** Schemes that are no http, as of browser extensions: their origins are compared as they are. */
const OTHER_ORIGIN = /^(?!https?:)[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/;

const originList = listOf(
  originIn,
  "an origin such as https://agent.example, without a path; for all origins use * alone, for none off",
);

/** `*`, `off` or `none`, or a comma-separated list of origins (RFC 6454), kept in the form that browsers send. */
export function origins(text: string): AllowedOrigins | Problem {
  if (text === "*") return text;
  return text === "off" || text === "none" ? [] : originList(text);
}

function originIn(text: string): string | null {
  if (OTHER_ORIGIN.test(text)) return text;
  const url = webUrl(text);
  return url instanceof Problem || url.pathname !== "/" ? null : url.origin;
}
