/** A system that there is an executable for. */
export interface Platform {
  /** As in the names of files: `linux-arm64-musl`. */
  readonly name: string;
  /** As npm, and `process.platform` of Node, name it. */
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  /** Linux alone. */
  readonly libc?: "glibc" | "musl";
  /** What the Bun for it is called in the registry, after `@oven/`. */
  readonly bun: string;
  /** What builds call it. */
  readonly target: Bun.Build.CompileTarget;
  /** How its executables begin, which says that the right Bun was used. */
  readonly format: string;
}

const LINUX_X64 = { os: "linux", cpu: "x64", format: "ELF x86-64" } as const;
const LINUX_ARM64 = { os: "linux", cpu: "arm64", format: "ELF AArch64" } as const;

/** What is released. Without `baseline`, x64 needs a processor with AVX2. */
export const PLATFORMS: readonly Platform[] = [
  { name: "linux-x64", ...LINUX_X64, libc: "glibc", bun: "bun-linux-x64", target: "bun-linux-x64" },
  {
    name: "linux-x64-baseline",
    ...LINUX_X64,
    libc: "glibc",
    bun: "bun-linux-x64-baseline",
    target: "bun-linux-x64-baseline",
  },
  {
    name: "linux-arm64",
    ...LINUX_ARM64,
    libc: "glibc",
    bun: "bun-linux-aarch64",
    target: "bun-linux-aarch64",
  },
  {
    name: "linux-x64-musl",
    ...LINUX_X64,
    libc: "musl",
    bun: "bun-linux-x64-musl",
    target: "bun-linux-x64-musl",
  },
  {
    name: "linux-x64-musl-baseline",
    ...LINUX_X64,
    libc: "musl",
    bun: "bun-linux-x64-musl-baseline",
    target: "bun-linux-x64-baseline-musl",
  },
  {
    name: "linux-arm64-musl",
    ...LINUX_ARM64,
    libc: "musl",
    bun: "bun-linux-aarch64-musl",
    target: "bun-linux-aarch64-musl",
  },
  {
    name: "darwin-arm64",
    os: "darwin",
    cpu: "arm64",
    format: "Mach-O AArch64",
    bun: "bun-darwin-aarch64",
    target: "bun-darwin-aarch64",
  },
  {
    name: "darwin-x64",
    os: "darwin",
    cpu: "x64",
    format: "Mach-O x86-64",
    bun: "bun-darwin-x64",
    target: "bun-darwin-x64",
  },
  {
    name: "windows-x64",
    os: "win32",
    cpu: "x64",
    format: "PE x86-64",
    bun: "bun-windows-x64",
    target: "bun-windows-x64",
  },
];

/** What an executable is called inside a package or an archive. */
export function fileName({ os }: Platform): string {
  return os === "win32" ? "coffer.exe" : "coffer";
}
