import { join } from "node:path";

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
  /** The texts of both files. */
  readonly pair: { readonly cert: string; readonly key: string };
}

/**
 * Makes a self-signed certificate for `localhost` and `127.0.0.1`, whose subject is `name`, and its key, as files of this
 * name in a directory. It ends in so many days.
 */
export async function makeCertificate(directory: string, name: string, days = 90): Promise<CertificateFiles> {
  const cert = join(directory, `${name}.crt`);
  const key = join(directory, `${name}.key`);
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const made = Bun.spawn(
    // prettier-ignore
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", String(days),
      "-subj", `/CN=${name}`, "-addext", names, "-keyout", key, "-out", cert],
    { stdout: "ignore", stderr: "pipe" },
  );
  if ((await made.exited) !== 0) throw new Error(await made.stderr.text());
  return { cert, key, pair: { cert: await Bun.file(cert).text(), key: await Bun.file(key).text() } };
}
