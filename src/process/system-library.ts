import { dlopen, type FFIFunction } from "bun:ffi";

/** The system's library, by the names that it has on Linux, with glibc or musl, and on macOS. */
const LIBRARIES = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  "libSystem.B.dylib",
];

/** Functions of the system that the runtime does not offer. Null where there is no such library, or none may be opened. */
export function openSystem<F extends Record<string, FFIFunction>>(functions: F) {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // Another system has another one.
    }
  }
  return null;
}
