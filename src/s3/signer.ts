import { AwsV4Signer } from "aws4fetch";
import type { Clock } from "../process/clock.ts";
import type { CredentialsReader } from "./credentials.ts";

/** What is signed for a request without a body. */
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

interface SignerParts {
  readonly clock: Clock;
  readonly region: string;
  readonly credentials: CredentialsReader;
}

/** Signs requests as AWS has it (Signature Version 4). */
export class Signer {
  readonly #parts: SignerParts;

  constructor(parts: SignerParts) {
    this.#parts = parts;
  }

  /** The headers of a request with those that sign it and all that begin with `x-amz-`. Throws S3Refused. */
  async headersOf(method: string, url: string, headers: Readonly<Record<string, string>>): Promise<Headers> {
    const signer = await this.#signerOf({ method, url, headers });
    return (await signer.sign()).headers;
  }

  /** An address that works for some seconds, for who has no credentials. Throws S3Refused. */
  async addressOf(method: string, url: string, seconds: number): Promise<string> {
    const lasting = new URL(url);
    lasting.searchParams.set("X-Amz-Expires", String(seconds));
    const signer = await this.#signerOf({ method, url: lasting.href, signQuery: true });
    const signed = (await signer.sign()).url;
    // A form's way to write a space, which not every store takes.
    return signed.href.replace(signed.search, signed.search.replaceAll("+", "%20"));
  }

  async #signerOf(
    request: Pick<ConstructorParameters<typeof AwsV4Signer>[0], "method" | "url" | "headers" | "signQuery">,
  ): Promise<AwsV4Signer> {
    const { clock, region, credentials } = this.#parts;
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials.read();
    return new AwsV4Signer({
      ...request,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === null ? {} : { sessionToken }),
      region,
      service: "s3",
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
    });
  }
}
