import { describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { inspect } from "node:util";
import { type Config, loadConfig } from "../src/config.ts";
import { settingsHelp } from "../src/config/help.ts";
import { nameOf, variableOf } from "../src/config/setting.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { settingsTable } from "./support/server/settings-table.ts";

function load(env: Record<string, string>, flags: Record<string, string> = {}): Config {
  const result = loadConfig({ env, flags, isTerminal: false });
  if (!result.ok) throw new Error(result.problems.join("\n"));
  return result.config;
}

function problems(env: Record<string, string>, flags: Record<string, string> = {}): readonly string[] {
  const result = loadConfig({ env, flags, isTerminal: false });
  return result.ok ? [] : result.problems;
}

test("nothing given: the documented defaults", () => {
  const { asGiven, ...config } = load({ PATH: "/bin", COFFER_PORT: "" });
  expect(asGiven.map(({ source, text }) => [source, text])).toEqual(asGiven.map(() => ["default", null]));
  expect(config).toEqual({
    blobs: null,
    blobCacheBytes: null,
    blobGraceMs: null,
    blobRedirect: "off",
    dataDir: resolve("data"),
    host: "0.0.0.0",
    port: 2633,
    tls: null,
    baseUrl: null,
    name: "Coffer",
    claimBaseUrl: null,
    keyPrefix: "cof",
    rateLimits: { free: 60, pro: 300, team: 1000 },
    storageLimits: { free: null, pro: null, team: null },
    provisioning: "on",
    provisionsPerHour: 10,
    maxFileSize: 5 * 1024 ** 3,
    minUploadSpeed: 1024,
    diskReserve: 1024 ** 3,
    keepDays: 30,
    keepVersions: 50,
    signups: "closed",
    oidc: null,
    auditDays: 365,
    trustedProxies: [],
    webhookAddresses: [],
    corsOrigins: "*",
    sweepIntervalMs: 60_000,
    backup: null,
    backupIntervalMs: 24 * 60 * 60 * 1000,
    backupKeep: 7,
    backupContents: "leave",
    s3: { endpoint: null, region: "us-east-1", isPathStyle: false, credentials: null },
    scrubIntervalMs: 30 * 86_400_000,
    embeddings: null,
    upgrade: { url: null, key: null },
    metricsToken: null,
    traces: null,
    logFormat: "json",
  });
});

describe("S3", () => {
  const keys = { S3_ACCESS_KEY_ID: "AK", S3_SECRET_ACCESS_KEY: "s3cr3t" };

  test("the place is known by the names that other programs use", () => {
    const aws = { endpoint: null, region: "us-east-1", isPathStyle: false };
    for (const [env, expected] of [
      [{ AWS_REGION: "eu-west-1" }, { ...aws, region: "eu-west-1" }],
      [
        { AWS_REGION: "eu-west-1", S3_REGION: "auto" },
        { ...aws, region: "auto" },
      ],
      [{ COFFER_S3_PATH_STYLE: "on" }, { ...aws, isPathStyle: true }],
      [{ S3_ENDPOINT: "http://h:9000" }, { ...aws, endpoint: "http://h:9000", isPathStyle: true }],
      [{ AWS_ENDPOINT_URL: "h.example" }, { ...aws, endpoint: "https://h.example", isPathStyle: true }],
      [
        { S3_ENDPOINT: "https://s3.eu-north-1.amazonaws.com", COFFER_S3_PATH_STYLE: "off" },
        { ...aws, endpoint: "https://s3.eu-north-1.amazonaws.com", region: "eu-north-1" },
      ],
    ] as const) {
      expect(load(env).s3).toEqual({ ...expected, credentials: null });
    }
  });

  test("credentials are from the file that is named, from variables, or from the file of other programs", () => {
    const shared = { AWS_SHARED_CREDENTIALS_FILE: "/shared" };
    const own = { COFFER_S3_CREDENTIALS: "own/file", AWS_PROFILE: "work" };
    expect(load({ ...shared, ...keys, ...own }).s3.credentials).toEqual({
      kind: "file",
      path: resolve("own/file"),
      profile: "work",
    });
    expect(load({ ...shared, ...keys }).s3.credentials).toMatchObject({ kind: "keys", accessKeyId: "AK" });
    expect(load(shared).s3.credentials).toEqual({ kind: "file", path: "/shared", profile: "default" });
    expect(load({ S3_ACCESS_KEY_ID: "AK" }).s3.credentials).toBeNull();
    const { credentials } = load({ ...keys, AWS_SESSION_TOKEN: "t0ken" }).s3;
    expect(inspect(credentials) + JSON.stringify(credentials)).not.toMatch(/s3cr3t|t0ken/);
  });
});

describe("accepted", () => {
  const cases: [variable: string, text: string, key: keyof Config, value: Config[keyof Config]][] = [
    ["COFFER_DATA_DIR", "/srv/coffer/", "dataDir", "/srv/coffer"],
    ["COFFER_DATA_DIR", "some/where", "dataDir", resolve("some/where")],
    ["COFFER_BACKUP", "some/where", "backup", { kind: "directory", path: resolve("some/where") }],
    ["COFFER_BACKUP", "s3://a-bucket", "backup", { kind: "s3", bucket: "a-bucket", prefix: "" }],
    [
      "COFFER_BACKUP",
      "s3://a-bucket/one/two/",
      "backup",
      { kind: "s3", bucket: "a-bucket", prefix: "one/two/" },
    ],
    ["COFFER_BACKUP_INTERVAL", "48h", "backupIntervalMs", 48 * 60 * 60 * 1000],
    ["COFFER_BACKUP_KEEP", "1", "backupKeep", 1],
    ["COFFER_BACKUP_CONTENTS", "copy", "backupContents", "copy"],
    ["COFFER_BLOBS", "/mnt/b", "blobs", { kind: "disks", roots: ["/mnt/b"] }],
    [
      "COFFER_BLOBS",
      "data, /mnt/a/,/mnt/ab",
      "blobs",
      { kind: "disks", roots: [resolve("data"), "/mnt/a", "/mnt/ab"] },
    ],
    ["COFFER_BLOBS", "s3://a-bucket/one", "blobs", { kind: "s3", bucket: "a-bucket", prefix: "one/" }],
    ["COFFER_BLOB_CACHE", "0", "blobCacheBytes", 0],
    ["COFFER_BLOB_GRACE", "24h", "blobGraceMs", 86_400_000],
    ["COFFER_HOST", "::1", "host", "::1"],
    ["COFFER_HOST", "drive.home.arpa", "host", "drive.home.arpa"],
    ["COFFER_PORT", "0", "port", 0],
    ["COFFER_PORT", "65535", "port", 65_535],
    ["COFFER_BASE_URL", "https://Drive.Example/", "baseUrl", "https://drive.example"],
    ["COFFER_BASE_URL", "http://h:8080//", "baseUrl", "http://h:8080"],
    ["COFFER_BASE_URL", "https://Home.Example/Coffer/", "baseUrl", "https://home.example/Coffer"],
    ["COFFER_BASE_URL", "http://h:8080/a-b/c.d_~1", "baseUrl", "http://h:8080/a-b/c.d_~1"],
    ["COFFER_CLAIM_BASE_URL", "https://h/claims", "claimBaseUrl", "https://h/claims"],
    ["COFFER_NAME", " Our <drive> ", "name", "Our <drive>"],
    ["COFFER_CLAIM_BASE_URL", "https://claim.example", "claimBaseUrl", "https://claim.example"],
    ["COFFER_KEY_PREFIX", "a234567890123456", "keyPrefix", "a234567890123456"],
    ["COFFER_RATE_LIMITS", "pro=5", "rateLimits", { free: 60, pro: 5, team: 1000 }],
    ["COFFER_RATE_LIMITS", "team=3, free=1,pro=2", "rateLimits", { free: 1, pro: 2, team: 3 }],
    ["COFFER_STORAGE_LIMITS", "free=10GB", "storageLimits", { free: 10 * 1024 ** 3, pro: null, team: null }],
    ["COFFER_PROVISIONING", "off", "provisioning", "off"],
    ["COFFER_PROVISIONS_PER_HOUR", "1", "provisionsPerHour", 1],
    ["COFFER_MAX_FILE_SIZE", "1", "maxFileSize", 1],
    ["COFFER_MAX_FILE_SIZE", "100MB", "maxFileSize", 104_857_600],
    ["COFFER_MAX_FILE_SIZE", "100mib", "maxFileSize", 104_857_600],
    ["COFFER_MAX_FILE_SIZE", "7B", "maxFileSize", 7],
    ["COFFER_MAX_FILE_SIZE", "2KiB", "maxFileSize", 2048],
    ["COFFER_MAX_FILE_SIZE", "3TB", "maxFileSize", 3 * 1024 ** 4],
    ["COFFER_MIN_UPLOAD_SPEED", "0", "minUploadSpeed", 0],
    ["COFFER_MIN_UPLOAD_SPEED", "10KiB", "minUploadSpeed", 10_240],
    ["COFFER_DISK_RESERVE", "0", "diskReserve", 0],
    ["COFFER_KEEP_DAYS", "0", "keepDays", 0],
    ["COFFER_KEEP_DAYS", "36500", "keepDays", 36_500],
    ["COFFER_KEEP_VERSIONS", "0", "keepVersions", 0],
    ["COFFER_SIGNUPS", "open", "signups", "open"],
    ["COFFER_SWEEP_INTERVAL", "500ms", "sweepIntervalMs", 500],
    ["COFFER_SWEEP_INTERVAL", "5m", "sweepIntervalMs", 300_000],
    ["COFFER_SWEEP_INTERVAL", "24h", "sweepIntervalMs", 86_400_000],
    ["COFFER_SCRUB_INTERVAL", "0s", "scrubIntervalMs", 0],
    ["COFFER_SCRUB_INTERVAL", "8760h", "scrubIntervalMs", 365 * 86_400_000],
    ["COFFER_LOG", "pretty", "logFormat", "pretty"],
    ["COFFER_CORS_ORIGINS", "*", "corsOrigins", "*"],
    ["COFFER_CORS_ORIGINS", "off", "corsOrigins", []],
    ["COFFER_CORS_ORIGINS", "none", "corsOrigins", []],
    [
      "COFFER_CORS_ORIGINS",
      "https://Agent.Example:443/, http://localhost:5173,chrome-extension://abc",
      "corsOrigins",
      ["https://agent.example", "http://localhost:5173", "chrome-extension://abc"],
    ],
    [
      "COFFER_TRUSTED_PROXIES",
      "127.0.0.1, 10.0.0.0/8,fd00::/8,::1",
      "trustedProxies",
      [
        { address: "127.0.0.1", prefix: 32, family: "ipv4" },
        { address: "10.0.0.0", prefix: 8, family: "ipv4" },
        { address: "fd00::", prefix: 8, family: "ipv6" },
        { address: "::1", prefix: 128, family: "ipv6" },
      ],
    ],
  ];
  for (const [variable, text, key, value] of cases) {
    test(`${variable}=${text}`, () => expect(load({ [variable]: text })[key]).toEqual(value));
  }
});

describe("refused", () => {
  const cases: [variable: string, texts: string[]][] = [
    ["COFFER_BLOB_REDIRECT", ["on", "true"]],
    ["COFFER_HOST", ["http://h", "[::1]", "h:80", "1.2.3", "300.1.1.1", "a b", "-h"]],
    ["COFFER_PORT", ["65536", "-1", "+5", "0x10", "1e3", " 80", "80 ", "8.0", "eighty", "٣"]],
    ["COFFER_BASE_URL", ["example.com", "ftp://h", "http:h", "http://", "http:///h", "//h", "http://h h"]],
    [
      "COFFER_BASE_URL",
      ["http://h/?", "http://h/#", "http://h?q=1", "http://u:p@h", "http://@h", "http://h\\x"],
    ],
    ["COFFER_BASE_URL", ["https://h//x", "https://h/x//y", "https://h/%2f", "https://h/x;y", "https://h/é"]],
    [
      "COFFER_BASE_URL",
      ["https://h/x/../y", "https://h/..", "https://h/./x", "https://h/.x", "https://h/x?y"],
    ],
    ["COFFER_CLAIM_BASE_URL", ["https://h/?token=", "javascript:alert(1)", "https://h/a b"]],
    ["COFFER_KEY_PREFIX", ["Cof", "1cof", "c_f", "a2345678901234567", "cof\n"]],
    [
      "COFFER_RATE_LIMITS",
      ["60", "free", "free=", "free=0", "free=1.5", "gold=1", "free=1,free=2", "free=1,"],
    ],
    ["COFFER_STORAGE_LIMITS", ["10GB", "free=0", "free=10 GB", "free=-1", "__proto__=1"]],
    ["COFFER_PROVISIONING", ["true", "ON", "1"]],
    ["COFFER_PROVISIONS_PER_HOUR", ["0", "ten"]],
    ["COFFER_MAX_FILE_SIZE", ["0", "-1", "1.5GiB", "5 GiB", "5G", "5GiBB", "9007199254740992", "99999TiB"]],
    ["COFFER_DISK_RESERVE", ["none", "1e9"]],
    ["COFFER_KEEP_DAYS", ["-1", "36501", "30d", "forever"]],
    ["COFFER_KEEP_VERSIONS", ["-1", "10001", "all"]],
    ["COFFER_SIGNUPS", ["yes"]],
    ["COFFER_SWEEP_INTERVAL", ["60", "0s", "1d", "25h", "1 s", "-5s", "9ms", "99999999999999999999h"]],
    [
      "COFFER_BLOBS",
      [
        "/mnt/a,",
        "/mnt/a,/mnt/a/",
        "/mnt/a/b,/mnt/a",
        "/mnt/a,/",
        "data/b",
        ".",
        "s3://b",
        "/mnt/a,s3://bucket/x",
      ],
    ],
    ["COFFER_BACKUP", ["-", "https://example.com/x", "s3://", "s3://A_b/x", "data", "./data/backups"]],
    ["COFFER_BACKUP_INTERVAL", ["0s", "999ms", "8761h", "1d"]],
    ["COFFER_BACKUP_KEEP", ["0", "all"]],
    ["COFFER_SCRUB_INTERVAL", ["0", "30d", "8761h", "off"]],
    ["COFFER_LOG", ["text"]],
    [
      "COFFER_TRUSTED_PROXIES",
      ["10.0.0.0/33", "::/129", "10.0.0.0/8/8", "10.0.0/8", "10.0.0.0/", "proxy", "1.1.1.1,"],
    ],
    [
      "COFFER_CORS_ORIGINS",
      ["agent.example", "https://a.example/x", "*,https://a.example", "null", "on", ","],
    ],
    ["COFFER_CORS_ORIGINS", ["https://u@a.example", "https://a.example?x", "https://*.a.example x"]],
    ["COFFER_TRUSTED_PROXIES", ["fe80::1%eth0", "10.0.0.0/-1", "10.0.0.0/0x8", "010.0.0.0/8"]],
  ];
  for (const [variable, texts] of cases) {
    for (const text of texts) {
      test(`${variable}=${JSON.stringify(text)}`, () => {
        const found = problems({ [variable]: text });
        expect(found).toHaveLength(1);
        expect(found[0]).toStartWith(variable);
      });
    }
  }
});

test("clients are redirected to a bucket alone", () => {
  const redirect = { COFFER_BLOB_REDIRECT: "on" };
  expect(problems({ ...redirect, COFFER_BLOBS: "/mnt/a" })).toEqual([
    "COFFER_BLOB_REDIRECT needs contents in a bucket: set COFFER_BLOBS to one, such as s3://bucket/prefix.",
  ]);
  expect(load({ ...redirect, COFFER_BLOBS: "s3://a-bucket/x" }).blobRedirect).toBe("on");
});

test("HTTPS needs a certificate with its key, and an address that says so", () => {
  const files = { COFFER_TLS_CERT: "tls.crt", COFFER_TLS_KEY: "/tls.key" };
  expect(load(files).tls).toEqual({
    certificate: { kind: "files", files: { cert: resolve("tls.crt"), key: "/tls.key" } },
    redirectPort: null,
  });
  const whole = { ...files, COFFER_TLS_REDIRECT_PORT: "80", COFFER_BASE_URL: "https://drive.example" };
  expect(load(whole).tls?.redirectPort).toBe(80);
  expect(problems({ COFFER_TLS_CERT: "tls.crt" })).toEqual([
    "HTTPS needs both COFFER_TLS_CERT and COFFER_TLS_KEY; not set: COFFER_TLS_KEY.",
  ]);
  expect(problems({ COFFER_TLS_REDIRECT_PORT: "80" })).toEqual([
    "COFFER_TLS_REDIRECT_PORT needs COFFER_TLS_CERT and COFFER_TLS_KEY, or COFFER_TLS_ACME.",
  ]);
  expect(problems({ ...whole, COFFER_PORT: "80", COFFER_BASE_URL: "http://drive.example" })).toEqual([
    "COFFER_TLS_REDIRECT_PORT must be another port than COFFER_PORT.",
    "COFFER_BASE_URL must begin with https://, as the server speaks HTTPS with COFFER_TLS_CERT.",
  ]);
});

test("a certificate from an authority needs names, and a port for plain HTTP", () => {
  const given = { COFFER_TLS_ACME: "Drive.Example, www.drive.example,drive.example" };
  const whole = { ...given, COFFER_TLS_REDIRECT_PORT: "80" };
  const acme = {
    kind: "acme",
    names: ["drive.example", "www.drive.example"],
    email: null,
    directory: "https://acme-v02.api.letsencrypt.org/directory",
    ca: null,
  };
  expect(load(whole).tls).toMatchObject({ certificate: acme, redirectPort: 80 });
  const others = {
    COFFER_TLS_ACME_EMAIL: "ada@drive.example",
    COFFER_TLS_ACME_DIRECTORY: "https://ca.internal:9000/acme/directory",
    COFFER_TLS_ACME_CA: "root.crt",
  };
  expect(load({ ...whole, ...others }).tls?.certificate).toMatchObject({
    email: "ada@drive.example",
    directory: "https://ca.internal:9000/acme/directory",
    ca: resolve("root.crt"),
  });
  expect(problems(given)).toEqual([
    expect.stringContaining("COFFER_TLS_ACME needs COFFER_TLS_REDIRECT_PORT"),
  ]);
  expect(problems({ COFFER_TLS_ACME_EMAIL: "ada@drive.example" })).toEqual([
    "COFFER_TLS_ACME_EMAIL is of no use without COFFER_TLS_ACME.",
  ]);
  expect(problems({ ...whole, COFFER_TLS_CERT: "tls.crt", COFFER_TLS_KEY: "tls.key" })).toEqual([
    "COFFER_TLS_ACME has an authority issue a certificate, so COFFER_TLS_CERT and COFFER_TLS_KEY must not be set.",
  ]);
  expect(problems({ ...whole, COFFER_BASE_URL: "http://drive.example" })).toEqual([
    "COFFER_BASE_URL must begin with https://, as the server speaks HTTPS with COFFER_TLS_ACME.",
  ]);
  expect(problems({ ...whole, COFFER_BASE_URL: "https://other.example" })).toEqual([
    "COFFER_BASE_URL must have one of the names in COFFER_TLS_ACME: the certificate is for these.",
  ]);
  expect(load({ ...whole, COFFER_BASE_URL: "https://drive.example" }).baseUrl).toBe("https://drive.example");
});

test.each([
  "*.drive.example",
  "192.0.2.1",
  "[::1]",
  "drive.example:443",
  "https://drive.example",
  "a..example",
  "",
])("no certificate is ordered for %j", (name) => {
  const given = { COFFER_TLS_ACME: `drive.example,${name}`, COFFER_TLS_REDIRECT_PORT: "80" };
  expect(problems(given)).toEqual([
    expect.stringContaining("must be a host name, without a port or a wildcard"),
  ]);
});

test.each(["ada", "ada@drive.example,eve@drive.example", "ada@drive.example?subject=x", "a b@drive.example"])(
  "%j is no address to write to",
  (address) => {
    const given = { COFFER_TLS_ACME: "drive.example", COFFER_TLS_REDIRECT_PORT: "80" };
    expect(problems({ ...given, COFFER_TLS_ACME_EMAIL: address })).toEqual([
      expect.stringContaining("must be an e-mail address"),
    ]);
  },
);

test("every problem is reported at once, each with its source, its value and what it must be", () => {
  expect(problems({ COFFER_PORT: "80a", COFFER_LOG: "xml" }, { signups: "no", host: "" })).toEqual([
    "--host must not be empty.",
    'COFFER_PORT ("80a") must be a whole number from 0 to 65535, in digits.',
    '--signups ("no") must be open or closed.',
    'COFFER_LOG ("xml") must be pretty or json.',
  ]);
});

test("an address that holds a password is not quoted", () => {
  const variables = [
    "COFFER_BASE_URL",
    "COFFER_CLAIM_BASE_URL",
    "COFFER_OIDC_ISSUER",
    "COFFER_BACKUP",
    "COFFER_BLOBS",
  ];
  for (const variable of variables) {
    for (const scheme of ["https", "s3", "postgres"]) {
      const found = problems({ [variable]: `${scheme}://ada:hunter2@example.com/x` });
      expect([found.length > 0, found.join().includes("hunter2")]).toEqual([true, false]);
    }
  }
});

test("backups on a disk of contents are refused", () => {
  const bucket = { COFFER_BLOBS: "s3://a-bucket/x", COFFER_BACKUP: "s3://a-bucket/x/y" };
  expect(problems(bucket)).toEqual([expect.stringContaining("the bucket's part for contents")]);
  expect(problems({ ...bucket, COFFER_BACKUP: "s3://a-bucket/xy" })).toEqual([]);
  expect(problems({ COFFER_BLOBS: "/mnt/a,/mnt/b", COFFER_BACKUP: "/mnt/b/backups" })).toEqual([
    "COFFER_BACKUP must not be on a disk of contents: the backups would be lost with it.",
  ]);
});

test("a flag wins over the environment, even over a bad value there", () => {
  expect(load({ COFFER_PORT: "bad", COFFER_DATA_DIR: "/a" }, { port: "81", "data-dir": "/b" })).toMatchObject(
    { port: 81, dataDir: "/b" },
  );
});

describe("unknown names", () => {
  const cases: [name: string, env: Record<string, string>, problem: string][] = [
    ["two letters swapped", { COFFER_PROT: "1" }, "COFFER_PROT is not a setting. Did you mean COFFER_PORT?"],
    [
      "a missing underscore",
      { COFFER_DATADIR: "x" },
      "COFFER_DATADIR is not a setting. Did you mean COFFER_DATA_DIR?",
    ],
    ["nothing near", { COFFER_ZEBRA_MODE: "1" }, "COFFER_ZEBRA_MODE is not a setting."],
    ["empty, but still unknown", { COFFER_FOO: "" }, "COFFER_FOO is not a setting."],
  ];
  test.each(cases)("%s", (_, env, problem) => expect(problems(env)).toEqual([problem]));

  test("a flag", () => {
    expect(problems({}, { "log-": "json" })).toEqual(["--log- is not a setting. Did you mean --log?"]);
  });

  test("those that Kubernetes sets for a service named coffer are explained", () => {
    const found = problems({ COFFER_PORT: "tcp://10.0.0.1:2633", COFFER_SERVICE_HOST: "10.0.0.1" });
    expect(found).toHaveLength(3);
    expect(found[2]).toContain("enableServiceLinks: false");
  });
});

describe("embeddings", () => {
  const EMBEDDINGS = {
    COFFER_EMBEDDINGS: "http://localhost:11434/v1/embeddings",
    COFFER_EMBEDDINGS_MODEL: "nomic-embed-text",
  };

  test("need an endpoint and a model; a key is kept secret", () => {
    expect(load(EMBEDDINGS).embeddings).toEqual({
      url: "http://localhost:11434/v1/embeddings",
      model: "nomic-embed-text",
      key: null,
    });
    const { embeddings } = load({ ...EMBEDDINGS, COFFER_EMBEDDINGS_KEY: "hunter2" });
    expect(embeddings?.key?.reveal()).toBe("hunter2");
    expect(JSON.stringify(embeddings)).not.toContain("hunter2");
    expect(problems({ ...EMBEDDINGS, COFFER_EMBEDDINGS_MODEL: "" })).toEqual([
      "COFFER_EMBEDDINGS needs COFFER_EMBEDDINGS_MODEL.",
    ]);
    expect(problems({ COFFER_EMBEDDINGS_KEY: "hunter2", COFFER_EMBEDDINGS_MODEL: "m" })).toEqual([
      "COFFER_EMBEDDINGS_MODEL is of no use without COFFER_EMBEDDINGS.",
      "COFFER_EMBEDDINGS_KEY is of no use without COFFER_EMBEDDINGS.",
    ]);
  });

  test.each(["localhost:11434", "ftp://localhost/v1", "http://me:hunter2@localhost/v1"])(
    "are not at %p",
    (url) => {
      const found = problems({ ...EMBEDDINGS, COFFER_EMBEDDINGS: url });
      expect(found).toEqual([expect.stringMatching(/^COFFER_EMBEDDINGS must /)]);
      expect(found.join("")).not.toContain("hunter2");
    },
  );
});

const OIDC = {
  COFFER_OIDC_ISSUER: "https://id.example/realm/",
  COFFER_OIDC_CLIENT_ID: "coffer",
  COFFER_OIDC_CLIENT_SECRET: "hunter2",
};

test("a token for metrics is long, can be sent, and is kept secret", () => {
  const token = "hunter2-hunter2.";
  const { metricsToken } = load({ COFFER_METRICS_TOKEN: token });
  expect([metricsToken?.reveal(), String(metricsToken)]).toEqual([token, "[secret]"]);
  for (const bad of [token.slice(1), `${token} `, `${token}\u00e9`, token.repeat(17)]) {
    const found = problems({ COFFER_METRICS_TOKEN: bad });
    expect(found).toEqual([expect.stringMatching(/^COFFER_METRICS_TOKEN must have 16 to 256 characters/)]);
    expect(found.join("")).not.toContain("unter2");
  }
});

describe("traces", () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318/" };

  test("are sent where the usual variables say", () => {
    const { traces } = load(ENDPOINT);
    expect(traces).toMatchObject({
      collector: { url: "http://localhost:4318/v1/traces" },
      sampling: { isParentBased: true, ratio: 1, perSecond: 100 },
      resource: { "service.name": "coffer" },
    });
    expect(traces?.collector.headers.reveal()).toEqual({});
    const own = { ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://c.example/as-it-is" };
    expect(load(own).traces?.collector.url).toBe("https://c.example/as-it-is");
    expect(load({ ...ENDPOINT, COFFER_TRACE_RATE: "7" }).traces?.sampling.perSecond).toBe(7);
    const protocol = { OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" };
    expect(load({ ...ENDPOINT, ...protocol }).traces).not.toBeNull();
  });

  test("are not sent unless there is a collector, and if they are turned off", () => {
    // What is wrong with the other variables does not matter then.
    const wrong = { OTEL_TRACES_SAMPLER: "nonsense", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" };
    expect(load(wrong).traces).toBeNull();
    expect(load({ ...ENDPOINT, ...wrong, OTEL_SDK_DISABLED: "TRUE" }).traces).toBeNull();
    expect(load({ ...ENDPOINT, ...wrong, OTEL_TRACES_EXPORTER: "none" }).traces).toBeNull();
  });

  test("headers are kept secret; those of traces come last", () => {
    const { traces } = load({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=hunter2%20%3D, a = b ,",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a=c",
    });
    expect(traces?.collector.headers.reveal()).toEqual({ "x-key": "hunter2 =", a: "c" });
    expect(inspect(traces) + JSON.stringify(traces)).not.toContain("hunter2");
  });

  test("the service has a name, and what else is said of it", () => {
    const attributes = {
      OTEL_RESOURCE_ATTRIBUTES: "service.name=one,deployment.environment.name=prod%C3%A9",
    };
    expect(load({ ...ENDPOINT, ...attributes }).traces?.resource).toEqual({
      "service.name": "one",
      "deployment.environment.name": "prod\u00e9",
    });
    const named = { ...attributes, OTEL_SERVICE_NAME: "two" };
    expect(load({ ...ENDPOINT, ...named }).traces?.resource["service.name"]).toBe("two");
  });

  test.each([
    ["always_on", "0.5", false, 1],
    ["always_off", "0.5", false, 0],
    ["traceidratio", "0.5", false, 0.5],
    ["traceidratio", "", false, 1],
    ["parentbased_always_on", "0.5", true, 1],
    ["parentbased_always_off", "0.5", true, 0],
    ["parentbased_traceidratio", ".25", true, 0.25],
  ] as const)("a sampler %s with %p", (sampler, arg, isParentBased, ratio) => {
    const env = { ...ENDPOINT, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg };
    expect(load(env).traces?.sampling).toEqual({ isParentBased, ratio, perSecond: 100 });
  });

  test.each([
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "hunter2:4318"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:hunter2@c.example"],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c.example/?key=hunter2"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a=hunter2%0d%0ab: c"],
    ["OTEL_EXPORTER_OTLP_HEADERS", "a b=hunter2"],
    ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "a=hunter2%ff"],
    ["OTEL_RESOURCE_ATTRIBUTES", "no-value"],
    ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
    ["COFFER_TRACE_RATE", "0"],
  ])("a wrong %s stops the start, and is not quoted if it may be secret: %p", (variable, text) => {
    const found = problems({ ...ENDPOINT, [variable]: text });
    expect(found).toEqual([expect.stringMatching(new RegExp(`^${variable} .*must `))]);
    expect(found.join("")).not.toContain("hunter2");
  });

  test.each(["-1", "1.5", "half", "1e-1"])("no share is %p", (arg) => {
    const sampler = { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: arg };
    expect(problems({ ...ENDPOINT, ...sampler })).toEqual([
      expect.stringMatching(/^OTEL_TRACES_SAMPLER_ARG .* must be a number from 0 to 1\./),
    ]);
  });
});

describe("OpenID Connect", () => {
  test("all three together; the issuer stays as written", () => {
    const { oidc } = load(OIDC);
    expect(oidc).toMatchObject({ issuer: "https://id.example/realm/", clientId: "coffer" });
    expect(oidc?.clientSecret.reveal()).toBe("hunter2");
  });

  test("administrators are named by their subjects there, and nowhere else", () => {
    expect(load(OIDC).oidc?.admins).toEqual([]);
    const named = load({ ...OIDC, COFFER_ADMINS: "248289761001, auth0|5f7c" });
    expect(named.oidc?.admins).toEqual(["248289761001", "auth0|5f7c"]);
    for (const bad of ["a,,b", "a b", "a,", "x".repeat(256), "é"]) {
      expect(problems({ ...OIDC, COFFER_ADMINS: bad })).toEqual([expect.stringMatching(/^COFFER_ADMINS /)]);
    }
    expect(problems({ COFFER_ADMINS: "ada" })).toEqual([
      expect.stringMatching(/COFFER_ADMINS .*COFFER_OIDC_ISSUER/),
    ]);
  });

  test("any of the three missing is one problem that names it", () => {
    for (const missing of Object.keys(OIDC)) {
      const found = problems({ ...OIDC, [missing]: "" });
      expect(found).toHaveLength(1);
      expect(found[0]).toEndWith(`not set: ${missing}.`);
    }
  });

  const issuers: [issuer: string, accepted: boolean][] = [
    ["http://localhost:9000", true],
    ["http://id.localhost/a", true],
    ["http://127.0.0.1:9000", true],
    ["http://[::1]:9000", true],
    ["http://id.example", false],
    ["http://127.0.0.1.example", false],
    ["https://id.example?x=1", false],
    ["id.example", false],
  ];
  for (const [issuer, accepted] of issuers) {
    test(`${accepted ? "accepts" : "refuses"} ${issuer}`, () => {
      expect(problems({ ...OIDC, COFFER_OIDC_ISSUER: issuer })).toHaveLength(accepted ? 0 : 1);
    });
  }
});

test("secrets are printed by nothing", () => {
  const config = load(OIDC);
  const secret = config.oidc?.clientSecret;
  const texts = [JSON.stringify(config), inspect(config, { depth: 9 }), Bun.inspect(config), String(secret)];
  for (const text of texts) {
    expect(text).toContain("[secret]");
    expect(text).not.toContain("hunter2");
  }
  const found = problems({ COFFER_OIDC_CLIENT_SECRET: "hunter2", COFFER_BASE_URL: "http://me:hunter2@h" });
  expect(found).toHaveLength(2);
  expect(found.join()).not.toContain("hunter2");
});

test("the result is frozen all the way down", () => {
  const config = load({ COFFER_TRUSTED_PROXIES: "10.0.0.0/8" });
  const { rateLimits, storageLimits, trustedProxies } = config;
  for (const part of [config, rateLimits, storageLimits, trustedProxies, trustedProxies[0]]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("the log is pretty on a terminal unless it is told otherwise", () => {
  for (const [env, logFormat] of [
    [{}, "pretty"],
    [{ COFFER_LOG: "json" }, "json"],
  ] as const) {
    expect(loadConfig({ env, flags: {}, isTerminal: true })).toMatchObject({ config: { logFormat } });
  }
});

test("help and table name every setting, and every default is what its setting accepts", () => {
  for (const setting of Object.values(SETTINGS)) {
    for (const text of [settingsHelp(), settingsTable()]) {
      expect(text).toContain(variableOf(setting));
      expect(text).toContain(`--${nameOf(setting)}`);
      expect(text).toContain(setting.fallback);
    }
    if (setting.absent === undefined)
      expect(problems({ [variableOf(setting)]: setting.fallback })).toEqual([]);
  }
});
