import { rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildSource } from "../build-source.ts";
import { buildExecutable } from "./executables.ts";
import { PLATFORMS } from "./platforms.ts";

/*
 * Makes the executable of an image, `dist/coffer`, for the processor that `--processor` names as Docker's TARGETARCH does.
 * `Dockerfile` runs it on whatever processor builds the image.
 */

const ROOT = resolve(import.meta.dir, "../..");

/** The platform of an image by its processor: the one that runs on each of that kind. */
const IMAGES: Readonly<Record<string, string>> = { amd64: "linux-x64-baseline", arm64: "linux-arm64" };

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      processor: { type: "string", default: "" },
      commit: { type: "string" },
      epoch: { type: "string" },
    },
  });
  const { processor, ...known } = values;
  const platform = PLATFORMS.find(({ name }) => name === IMAGES[processor]);
  if (platform === undefined) throw new Error(`There is no image for the processor "${processor}".`);
  const directory = join(ROOT, "dist/image");
  const cache = join(ROOT, "node_modules/.cache/release");
  // An image is upgraded by a newer image: its executable needs no key.
  const parts = { directory, cache, source: await buildSource(known), key: null };
  const { path } = await buildExecutable(platform, parts);
  await rename(path, join(ROOT, "dist/coffer"));
}
