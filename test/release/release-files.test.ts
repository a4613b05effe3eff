import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { join, resolve } from "node:path";
import { type Entry, tar, writeArchives, zip } from "../../src/release/archives.ts";
import { formatOf } from "../../src/release/executable-format.ts";
import { type Download, homebrewFormula, scoopManifest } from "../../src/release/manifests.ts";
import { publicKeyOf, readSecretKey, signatureOf } from "../../src/release/minisign.ts";
import { packageName } from "../../src/release/npm.ts";
import { PLATFORMS } from "../../src/release/platforms.ts";
import runtimes from "../../src/release/runtimes.json";
import { billOfMaterials } from "../../src/release/sbom.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const ROOT = resolve(import.meta.dir, "../..");
/** 2026-11-29 08:00:00 UTC. */
const SECONDS = 1_795_939_200;

const ENTRIES: readonly Entry[] = [
  { name: "coffer", bytes: Buffer.from("an executable"), isExecutable: true },
  { name: "README.md", bytes: Buffer.from("x".repeat(512)) },
];

describe("archives", () => {
  test("tar reads what is written, with modes and times, and the same bytes come again", async () => {
    await using place = await temporaryDirectory();
    const at = join(place.path, "coffer-1");
    const paths = await writeArchives(at, ENTRIES, { seconds: SECONDS, kind: "tar" });
    expect(paths).toEqual([`${at}.tar.gz`, `${at}.tar.zst`]);
    const listed = await Bun.$`tar --utc --full-time -tvzf ${at}.tar.gz`.text();
    expect(listed.split("\n")).toEqual([
      "-rwxr-xr-x root/root        13 2026-11-29 08:00:00 coffer-1/coffer",
      "-rw-r--r-- root/root       512 2026-11-29 08:00:00 coffer-1/README.md",
      "",
    ]);
    expect(await Bun.$`tar -xOzf ${at}.tar.gz coffer-1/coffer`.text()).toBe("an executable");
    expect(Bun.zstdDecompressSync(await Bun.file(`${at}.tar.zst`).bytes())).toEqual(
      Buffer.from(Bun.gunzipSync(await Bun.file(`${at}.tar.gz`).bytes())),
    );
    expect(tar(ENTRIES, SECONDS)).toEqual(tar(ENTRIES, SECONDS));
  });

  test("a ZIP archive has the same bytes in every time zone", async () => {
    const code = `import { zip } from "./src/release/archives.ts";
      process.stdout.write(zip([{ name: "a", bytes: Buffer.from("b") }], ${SECONDS}));`;
    const inZone = (zone: string) => Bun.$`TZ=${zone} ${process.execPath} -e ${code}`.cwd(ROOT).arrayBuffer();
    const [east, west] = await Promise.all([inZone("Asia/Tokyo"), inZone("America/New_York")]);
    expect(east.byteLength).toBeGreaterThan(50);
    expect(east).toEqual(west);
    expect(Buffer.from(zip([{ name: "a", bytes: Buffer.from("b") }], SECONDS))).toEqual(Buffer.from(east));
  });

  test("a name that does not fit is refused", () => {
    expect(() => tar([{ name: "n".repeat(101), bytes: new Uint8Array() }], 0)).toThrow("too long");
  });
});

describe("minisign", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const id = Buffer.from("0123456789abcdef", "hex");
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32);
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const written = (algorithms: string) =>
    `untrusted comment: a key\n${Buffer.concat([
      Buffer.from(algorithms, "latin1"),
      Buffer.alloc(48),
      id,
      seed,
      point,
      Buffer.alloc(32),
    ]).toString("base64")}\n`;

  test("a secret key is read, and one with a password, or none, is refused", () => {
    const key = readSecretKey(written("Ed\0\0B2"));
    expect([Buffer.from(key.id), Buffer.from(key.seed)]).toEqual([id, Buffer.from(seed)]);
    expect(Buffer.from(publicKeyOf(key), "base64")).toEqual(Buffer.concat([Buffer.from("Ed"), id, point]));
    expect(() => readSecretKey(written("EdScB2"))).toThrow("has a password");
    for (const text of ["", "a\nb", written("XX\0\0B2")])
      expect(() => readSecretKey(text)).toThrow("no secret key");
  });

  test.skipIf(Bun.which("minisign") === null)(
    "minisign takes the signature, and not one of others",
    async () => {
      await using place = await temporaryDirectory();
      const sums = join(place.path, "SHA256SUMS");
      await Bun.write(sums, "a sum");
      await Bun.write(`${sums}.minisig`, signatureOf(Buffer.from("a sum"), { id, seed }, "coffer 1"));
      const key = Buffer.concat([Buffer.from("Ed"), id, point]).toString("base64");
      const check = () => Bun.$`minisign -V -P ${key} -m ${sums}`.quiet().nothrow();
      const { exitCode, stdout } = await check();
      expect([exitCode, stdout.toString()]).toEqual([
        0,
        expect.stringContaining("Trusted comment: coffer 1"),
      ]);
      await Bun.write(sums, "another sum");
      expect((await check()).exitCode).not.toBe(0);
    },
  );
});

test("the bill of materials names what is in the executable, once, with licence and hash, and nothing of the tests", async () => {
  const bill = await billOfMaterials({ root: ROOT, version: "1.2.3", seconds: SECONDS });
  expect(bill).toMatchObject({
    specVersion: "1.6",
    metadata: { timestamp: "2026-11-29T08:00:00.000Z", component: { name: "coffer", version: "1.2.3" } },
    components: expect.arrayContaining([
      expect.objectContaining({
        name: "@codemirror/state",
        purl: expect.stringMatching(/^pkg:npm\/%40codemirror\/state@\d/),
        hashes: [{ alg: "SHA-512", content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
        licenses: [{ expression: "MIT" }],
      }),
      expect.objectContaining({ name: "bun", version: Bun.version }),
      // Something needs it that something else needs.
      expect.objectContaining({ name: "style-mod" }),
    ]),
  });
  const text = JSON.stringify(bill);
  for (const name of ["playwright-core", "oxlint", "ajv"]) expect(text).not.toContain(`"name":"${name}"`);
  const refs = [...text.matchAll(/"bom-ref":"([^"]+)"/g)].map(([, ref]) => ref);
  expect(new Set(refs).size).toBe(refs.length);
  expect(await billOfMaterials({ root: ROOT, version: "1.2.3", seconds: SECONDS })).toEqual(bill);
});

test("each platform has a Bun whose hash is known, in the version that builds", async () => {
  const version = /^version=(.*)$/m.exec(await Bun.file(join(ROOT, "src/bun.sh")).text())?.[1];
  expect<string | undefined>(runtimes.version).toBe(version);
  expect(Object.keys(runtimes.integrity).toSorted()).toEqual(PLATFORMS.map(({ bun }) => bun).toSorted());
});

test("no two packages of npm have the same name, and each processor has one", () => {
  const names = PLATFORMS.map(packageName).filter((name) => name !== null);
  expect(names.toSorted()).toEqual([
    "coffer-darwin-arm64",
    "coffer-darwin-x64",
    "coffer-linux-arm64",
    "coffer-linux-arm64-musl",
    "coffer-linux-x64",
    "coffer-linux-x64-musl",
    "coffer-win32-x64",
  ]);
});

test("an executable of another system, and what is none, is seen", async () => {
  expect(formatOf(await Bun.file(process.execPath).slice(0, 4096).bytes())).toMatch(/^(?:ELF|Mach-O) /);
  const pe = Buffer.alloc(256);
  pe.write("MZ");
  pe.writeUInt32LE(128, 0x3c);
  pe.write("PE\0\0", 128);
  pe.writeUInt16LE(0x8664, 132);
  expect(formatOf(pe)).toBe("PE x86-64");
  expect(formatOf(pe.fill(255, 0x3c, 0x40))).toBe("unknown");
  const other = Buffer.alloc(64);
  other.writeUInt32BE(0x7f454c46);
  expect(formatOf(other)).toBe("ELF of another processor");
  for (const none of [Buffer.alloc(10), Buffer.alloc(4096)]) expect(formatOf(none)).toBe("unknown");
});

function of(name: string): Download {
  return { url: `https://example.com/${name}`, sha256: `sum-of-${name}` };
}

test("the manifests name each archive with its own sum", () => {
  const about = { version: "1.2.3", homepage: "https://example.com" };
  const formula = homebrewFormula(about, {
    "darwin-arm64": of("a"),
    "darwin-x64": of("b"),
    "linux-arm64": of("c"),
    "linux-x64-baseline": of("d"),
  });
  const pairs = [...formula.matchAll(/url "https:\/\/example\.com\/(\w)"\s+sha256 "sum-of-(\w)"/g)];
  expect(pairs.map(([, url, sum]) => `${url}${sum}`)).toEqual(["aa", "bb", "cc", "dd"]);
  expect(scoopManifest(about, of("e"), "coffer-1.2.3-windows-x64")).toMatchObject({
    version: "1.2.3",
    architecture: { "64bit": { hash: "sum-of-e", extract_dir: "coffer-1.2.3-windows-x64" } },
    bin: "coffer.exe",
  });
});
