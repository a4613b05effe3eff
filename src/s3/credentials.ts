import { messageOf } from "../domain/errors.ts";
import { S3Refused } from "./errors.ts";

interface Hidden {
  reveal(): string;
}

/** Where the credentials are from. */
export type CredentialsSource =
  | {
      readonly kind: "keys";
      readonly accessKeyId: string;
      readonly secretAccessKey: Hidden;
      readonly sessionToken: Hidden | null;
    }
  /** A file as the tools of AWS have it: `[profile]`, then lines such as `aws_access_key_id = ...`. */
  | { readonly kind: "file"; readonly path: string; readonly profile: string };

/** Secret. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** Gives the credentials of each request: a file is read again when it has changed. */
export class CredentialsReader {
  readonly #source: CredentialsSource | null;
  #last: { readonly state: string; readonly credentials: S3Credentials } | null = null;

  /** @param source null if none are given */
  constructor(source: CredentialsSource | null) {
    this.#source = source;
  }

  /** Throws S3Refused if there are none. */
  async read(): Promise<S3Credentials> {
    const source = this.#source;
    switch (source?.kind) {
      case undefined:
        throw new S3Refused(
          "There are no credentials for S3. Set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY, or COFFER_S3_CREDENTIALS.",
        );
      case "keys":
        return {
          accessKeyId: source.accessKeyId,
          secretAccessKey: source.secretAccessKey.reveal(),
          sessionToken: source.sessionToken?.reveal() ?? null,
        };
      case "file":
        return this.#readFile(source.path, source.profile);
    }
  }

  async #readFile(path: string, profile: string): Promise<S3Credentials> {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await Bun.file(path).stat();
      const state = [ino, size, mtimeMs, ctimeMs].join(" ");
      if (this.#last?.state !== state) {
        this.#last = { state, credentials: credentialsIn(await Bun.file(path).text(), profile) };
      }
      return this.#last.credentials;
    } catch (error) {
      throw new S3Refused(`The credentials of S3 cannot be read from ${path}: ${messageOf(error)}.`, {
        cause: error,
      });
    }
  }
}

/** Reads a file of credentials. Throws an Error that names what is missing, and nothing that the file holds. */
export function credentialsIn(text: string, profile: string): S3Credentials {
  const values = valuesOf(text, profile);
  const valueOf = (name: string) => {
    const value = values.get(name) ?? "";
    if (value === "") throw new Error(`the profile ${profile} has no ${name}`);
    return value;
  };
  return {
    accessKeyId: valueOf("aws_access_key_id"),
    secretAccessKey: valueOf("aws_secret_access_key"),
    sessionToken: values.get("aws_session_token") ?? null,
  };
}

const SECTION = /^\[\s*(?:profile\s+)?([^\]]+?)\s*\]/;
const SETTING = /^([\w-]+)\s*=\s*(.*)$/;

function valuesOf(text: string, profile: string): Map<string, string> {
  const values = new Map<string, string>();
  let section = "";
  for (const line of text.split(/\r?\n/)) {
    section = SECTION.exec(line.trim())?.[1] ?? section;
    const [, name = "", value = ""] = SETTING.exec(line.trim()) ?? [];
    if (section === profile && name !== "") values.set(name.toLowerCase(), value.trim());
  }
  return values;
}
