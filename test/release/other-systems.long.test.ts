import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { buildExecutable } from "../../src/release/executables.ts";
import { PLATFORMS } from "../../src/release/platforms.ts";
import { provision, serve, type ServeOptions } from "../support/server/executable.ts";
import { whyCannot, withReason } from "../support/server/skip.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";

const place = await temporaryDirectory();
afterAll(() => place[Symbol.asyncDispose]());

const NO_LINUX = process.platform === "linux" && process.arch === "x64" ? "" : "not on Linux on x64";

/** arm64 in an emulator, with the libraries that Debian has for cross-compilers. */
const EMULATOR = "qemu-aarch64-static";
const ARM64_LIBRARIES = "/usr/aarch64-linux-gnu";
const NO_ARM64 =
  NO_LINUX ||
  whyCannot([EMULATOR, "--version"], "the emulator does not run") ||
  (existsSync(`${ARM64_LIBRARIES}/lib/libc.so.6`) ? "" : "libc6-arm64-cross not installed");

test.skipIf(NO_ARM64 !== "")(withReason("a server for arm64 is of use, and stops", NO_ARM64), () =>
  tryOut("linux-arm64", { wrapper: [EMULATOR], env: { QEMU_LD_PREFIX: ARM64_LIBRARIES } }),
);

/** The loader of Debian's package musl, and a libstdc++ for it. */
const NO_MUSL =
  NO_LINUX ||
  whyCannot(
    ["sh", join(import.meta.dir, "musl-library.sh"), place.path],
    "there is no libstdc++ that can be made to fit",
    ["musl-gcc", "gcc"],
  );

test.skipIf(NO_MUSL !== "")(withReason("a server for musl is of use, and stops", NO_MUSL), () =>
  tryOut("linux-x64-musl-baseline", { env: { LD_LIBRARY_PATH: place.path } }),
);

/** Builds the executable of a platform, and uses its server as an agent does. */
async function tryOut(name: string, options: ServeOptions): Promise<void> {
  const platform = PLATFORMS.find((each) => each.name === name);
  if (platform === undefined) throw new Error(`There is no platform ${name}.`);
  const source = { commit: "0123456789ab", seconds: 1_795_939_200 };
  const parts = { directory: place.path, cache: join(place.path, "cache"), source, key: null };
  const { path } = await buildExecutable(platform, parts);
  await using server = await serve({ ...options, program: path });
  const { client, drive } = await provision(server);
  const { id } = await client.put(drive, "plan.md", "A plan.");
  expect(await client.send("GET", `/v0/files/${id}/download`)).toMatchObject({
    status: 200,
    text: "A plan.",
  });
  expect(await server.stop()).toBe(0);
}
