import { Secret } from "./secret.ts";

/** What is asked of the environment, under names that other programs know too. */
const NAMES = {
  endpoint: ["S3_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"],
  region: ["S3_REGION", "AWS_REGION", "AWS_DEFAULT_REGION"],
  accessKeyId: ["S3_ACCESS_KEY_ID", "AWS_ACCESS_KEY_ID"],
  secretAccessKey: ["S3_SECRET_ACCESS_KEY", "AWS_SECRET_ACCESS_KEY"],
  sessionToken: ["S3_SESSION_TOKEN", "AWS_SESSION_TOKEN"],
  credentialsFile: ["AWS_SHARED_CREDENTIALS_FILE"],
  profile: ["AWS_PROFILE"],
} as const;

interface GivenS3 {
  /** An absolute path. */
  readonly credentialsFile: string | null;
  readonly pathStyle: "on" | "off" | null;
  /** The value of a variable; null if it is not set. */
  readonly variable: (name: string) => string | null;
}

/** Where S3 is, and who may use it. Nothing is checked here, as most servers do not use it. */
export function s3Settings({ credentialsFile, pathStyle, variable }: GivenS3) {
  const valueOf = (what: keyof typeof NAMES) =>
    NAMES[what].map(variable).find((text) => text !== null) ?? null;
  const endpoint = withScheme(valueOf("endpoint"));
  const profile = valueOf("profile") ?? "default";
  const file = (path: string) => ({ kind: "file", path, profile }) as const;
  const [accessKeyId, secretAccessKey] = [valueOf("accessKeyId"), valueOf("secretAccessKey")];
  const [sessionToken, sharedFile] = [valueOf("sessionToken"), valueOf("credentialsFile")];
  const keys = accessKeyId !== null &&
    secretAccessKey !== null && {
      kind: "keys" as const,
      accessKeyId,
      secretAccessKey: new Secret(secretAccessKey),
      sessionToken: sessionToken === null ? null : new Secret(sessionToken),
    };
  return {
    /** Null for AWS. */
    endpoint,
    region: valueOf("region") ?? regionIn(endpoint) ?? "us-east-1",
    isPathStyle: pathStyle === null ? endpoint !== null : pathStyle === "on",
    credentials:
      credentialsFile !== null
        ? file(credentialsFile)
        : keys || (sharedFile === null ? null : file(sharedFile)),
  };
}

function withScheme(endpoint: string | null): string | null {
  return endpoint === null || endpoint.includes("://") ? endpoint : `https://${endpoint}`;
}

/** The region that an address of AWS names. */
function regionIn(endpoint: string | null): string | null {
  return /\bs3[.-]([a-z]{2}-[a-z-]+-\d)\.amazonaws\.com/.exec(endpoint ?? "")?.[1] ?? null;
}
