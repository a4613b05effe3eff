import { resolve } from "node:path";
import { certificateNames, emailAddress, secretEndpointUrl } from "./addresses.ts";
import { setting } from "./setting.ts";
import { integer } from "./values.ts";

/** The settings of a server that speaks HTTPS itself. */
export const TLS_SETTINGS = {
  tlsCert: setting({
    flag: "--tls-cert PATH",
    fallback: "none",
    absent: null,
    help: "A file with the certificate of this server and those that vouch for it, in PEM: the server then speaks HTTPS. It is read again when it changes",
    parse: (text) => resolve(text),
  }),
  tlsKey: setting({
    flag: "--tls-key PATH",
    fallback: "none",
    absent: null,
    help: "The file with the private key of that certificate, in PEM, without a passphrase",
    parse: (text) => resolve(text),
  }),
  tlsAcme: setting({
    flag: "--tls-acme LIST",
    fallback: "none",
    absent: null,
    help: "Host names of this server, such as drive.example.com,www.example.com: a certificate authority issues a certificate for them by ACME, and the server renews it. Whoever sets this agrees to the authority's terms of service",
    parse: certificateNames,
  }),
  tlsAcmeEmail: setting({
    flag: "--tls-acme-email ADDRESS",
    fallback: "none",
    absent: null,
    help: "Where the certificate authority may write to",
    parse: emailAddress,
  }),
  tlsAcmeDirectory: setting({
    flag: "--tls-acme-directory URL",
    fallback: "that of Let's Encrypt",
    absent: "https://acme-v02.api.letsencrypt.org/directory",
    help: "The address where the certificate authority says, by ACME, what it offers (its directory)",
    parse: secretEndpointUrl,
  }),
  tlsAcmeCa: setting({
    flag: "--tls-acme-ca PATH",
    fallback: "none: those of the system",
    absent: null,
    help: "A file with the certificates to trust when the certificate authority is asked, in PEM: for one of one's own",
    parse: (text) => resolve(text),
  }),
  tlsRedirectPort: setting({
    flag: "--tls-redirect-port NUMBER",
    fallback: "none",
    absent: null,
    help: "A port where plain HTTP is answered with the https address to use, such as 80",
    parse: integer(1, 65_535),
  }),
};
