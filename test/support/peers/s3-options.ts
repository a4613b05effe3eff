import { systemClock } from "../../../src/process/clock.ts";
import type { S3Options, S3Settings } from "../../../src/s3/requests.ts";
import type { S3Server } from "./s3-server.ts";

/** For what does not use S3. */
export const NO_S3: S3Settings = {
  endpoint: null,
  region: "us-east-1",
  isPathStyle: false,
  credentials: null,
};

/** How a bucket of a server is opened. It does not pause between attempts. */
export function optionsFor(
  { settings }: Pick<S3Server, "settings">,
  more: Partial<S3Options> = {},
): S3Options {
  const { endpoint, region, accessKeyId, secretAccessKey } = settings;
  return {
    endpoint,
    region,
    isPathStyle: true,
    credentials: {
      kind: "keys",
      accessKeyId,
      secretAccessKey: { reveal: () => secretAccessKey },
      sessionToken: null,
    },
    bucket: "a-bucket",
    prefix: "",
    clock: systemClock,
    sleep: async () => {},
    ...more,
  };
}
