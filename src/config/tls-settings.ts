import { resolve } from "node:path";
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
  tlsRedirectPort: setting({
    flag: "--tls-redirect-port NUMBER",
    fallback: "none",
    absent: null,
    help: "A port where plain HTTP is answered with the https address to use, such as 80",
    parse: integer(1, 65_535),
  }),
};
