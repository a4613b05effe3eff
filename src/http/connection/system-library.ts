import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** The system's library, by the names that it has on Linux, with glibc or musl, and on macOS. */
const LIBRARIES = [
  "libc.so.6",
  `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`,
  "libSystem.B.dylib",
];

/** Functions of the system's library. Null where there is none of these libraries, or none may be opened. */
export function openSystem<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  for (const name of LIBRARIES) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // Another system has another one.
    }
  }
  return null;
}
