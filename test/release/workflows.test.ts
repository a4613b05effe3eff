import { expect, test } from "bun:test";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "../..");
const WORKFLOWS = [...new Bun.Glob("*.yml").scanSync(join(ROOT, ".github/workflows"))].toSorted();

test("there are workflows", () => {
  expect(WORKFLOWS).toEqual(["release.yml", "tests.yml"]);
});

test.each(WORKFLOWS)("%s names each action by a commit, and says its version", async (name) => {
  const text = await Bun.file(join(ROOT, ".github/workflows", name)).text();
  expect(Bun.YAML.parse(text)).toHaveProperty("jobs");
  const used = [...text.matchAll(/\buses: *(.+)$/gm)].map(([, action = ""]) => action);
  expect(used.length).toBeGreaterThan(0);
  for (const action of used)
    expect(action).toMatch(/^(?:\.\/.+|[\w-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
});

test("the image has its bases by digest, and nothing of it runs while it is built", async () => {
  const [, ...stages] = (await Bun.file(join(ROOT, "Dockerfile")).text()).split(/^FROM /m);
  expect(stages).toHaveLength(2);
  for (const stage of stages)
    expect(stage).toMatch(/^(?:--platform=\$BUILDPLATFORM )?\S+@sha256:[0-9a-f]{64}\s/);
  const [build, image] = stages;
  expect(build).toStartWith("--platform=$BUILDPLATFORM ");
  expect(image).not.toMatch(/^RUN /m);
  expect(image).toMatch(/^HEALTHCHECK /m);
  expect(image).toMatch(/^USER \d+:\d+$/m);
});
