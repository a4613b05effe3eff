import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, cp, mkdir, realpath, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { HEADER_BYTES, formatOf } from "../../src/release/executable-format.ts";
import { withReason } from "../support/server/skip.ts";
import { eventually } from "../support/server/scenario.ts";
import { temporaryDirectory } from "../support/server/temporary-directory.ts";
import { openEmptyRoot } from "./empty-root.ts";
import { type Engine, NO_ENGINE, openEngine, type Served } from "./engine.ts";

/** Two bases and an image are built, perhaps while other tests keep all processors busy. */
const BUILDS_MS = 600_000;
const ROOT = resolve(import.meta.dir, "../..");
const NO_NPM = ["node", "npm"].some((tool) => Bun.which(tool) === null) ? "there is no npm" : "";
const WHY = NO_ENGINE || NO_NPM;

/** As careful as a container can be. */
const HARDENED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges:true"];

/*
 * The image, built and run by a Docker engine. Its two bases come from other hosts: the ones here have the same in them,
 * made of the packages of this machine's system.
 */
describe.skipIf(WHY !== "")(withReason("the image", WHY), () => {
  let engine: Engine;
  let stack: AsyncDisposableStack;

  /** Builds with bases that are here, and says for which processor. */
  const build = async (processor: "amd64" | "arm64", ...options: readonly string[]) => {
    await using place = await temporaryDirectory();
    const text = await Bun.file(join(ROOT, "Dockerfile")).text();
    const bases = ["build-base", `run-base:${processor}`];
    const file = join(place.path, "Dockerfile");
    await Bun.write(
      file,
      text.replaceAll(/^(FROM (?:--platform=\S+ )?)\S+/gm, (_, from) => from + bases.shift()),
    );
    const args = ["--network", "host", "--platform", `linux/${processor}`, "--file", file, ...options];
    await engine.docker(
      "build",
      ...args,
      "--build-arg",
      "COMMIT=abc",
      "--build-arg",
      "EPOCH=1700000000",
      ROOT,
    );
  };

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    engine = stack.use(await openEngine());
    await using place = await temporaryDirectory();
    await Promise.all([makeBuildBase(engine), makeRunBases(engine, place.path)]);
    await build("amd64", "--tag", "coffer");
  }, BUILDS_MS);
  afterAll(() => stack.disposeAsync());

  test("is built of what a checkout has, and of nothing else that lies there", async () => {
    await build("amd64", "--tag", "built", "--target", "build");
    const list = "cd /app && ls -dA * .[!.]* .github/*";
    const found = await engine.docker("run", "--rm", "--network", "none", "built", "sh", "-c", list);
    const files =
      "package.json bun.lock bunfig.toml tsconfig.json src web .github .github/docs .github/monitoring";
    expect(new Set(found.trim().split("\n"))).toEqual(new Set(`${files} dist node_modules`.split(" ")));
  });

  test("says how it is run, and which version it is", async () => {
    const format = "{{json .Config}}";
    expect(JSON.parse(await engine.docker("inspect", "--format", format, "coffer"))).toMatchObject({
      User: "65532:65532",
      ExposedPorts: { "2633/tcp": {} },
      Volumes: { "/data": {} },
      Entrypoint: ["/usr/local/bin/coffer"],
      Cmd: ["serve"],
      StopSignal: "SIGTERM",
      Healthcheck: { Test: ["CMD", "/usr/local/bin/coffer", "healthcheck"] },
    });
    const version = await engine.docker("run", "--rm", "--network", "none", "coffer", "version");
    expect(version).toContain("commit abc of 2023-11-14");
  });

  test("has the executable of the processor that it is for, whichever builds it", async () => {
    await build("arm64", "--tag", "coffer:arm64");
    await using place = await temporaryDirectory();
    const container = (await engine.docker("create", "--platform", "linux/arm64", "coffer:arm64")).trim();
    const path = join(place.path, "coffer");
    await engine.docker("cp", `${container}:/usr/local/bin/coffer`, path);
    expect(formatOf(await Bun.file(path).slice(0, HEADER_BYTES).bytes())).toBe("ELF AArch64");
  });

  test.each([
    ["its own user", []],
    ["a user of the group of root", ["--user", "12345:0"]],
    ["any user", ["--user", "12345:12345"]],
  ])("serves as %s, may write nothing but data, and keeps that for the next container", async (user, as) => {
    const options = [...HARDENED, ...as, "--volume", `${user.replaceAll(" ", "-")}:/data`];
    const store = await storeIn(await engine.serve("coffer", ...options, "--health-interval", "1s"), engine);
    await using next = await engine.serve("coffer", ...options);
    expect(await store.read(next)).toMatchObject({ status: 200, text: "A plan." });
    expect(await doctorIn(next)).not.toMatch(/^error/m);
    const { log } = await next.stop();
    // Only who owns the directory can close it: others are told how its owner does.
    const warnings = log.split("\n").filter((line) => line.includes('"level":"warn"'));
    const advice =
      as.length === 0 ? [] : [expect.stringContaining("chown -R 12345 /data && chmod -R go= /data")];
    expect(warnings).toEqual(advice);
  });

  /** What `coffer doctor` says in a container, whatever its exit code. */
  const doctorIn = ({ name }: Served) => engine.docker("exec", name, "coffer", "doctor").catch(String);

  test("is unhealthy without its server", async () => {
    await using served = await engine.serve("coffer");
    const asked = ["--network", "host", "--env", `COFFER_PORT=${served.port}`, "coffer", "healthcheck"];
    await engine.docker("run", "--rm", ...asked);
    await served.stop();
    expect(engine.docker("run", "--rm", ...asked)).rejects.toThrow("it ended with 1");
  });
});

/** Uses a new server as an agent does that has nothing but its address, and stops it. Returns how to read what it has. */
async function storeIn(server: Served, engine: Engine) {
  await using served = server;
  type Provisioned = { data: Record<"api_key" | "drive_id", string> };
  const { data } = await served.client().post<Provisioned>("/v0/drives/provision", { name: "First" });
  const { id } = await served.client(data.api_key).put(data.drive_id, "notes/plan.md", "A plan.");
  const health = ["inspect", "--format", "{{.State.Health.Status}}", served.name];
  await eventually(async () => (await engine.docker(...health)).trim() === "healthy");
  const { code, log } = await served.stop();
  expect([code, log]).toEqual([0, expect.stringContaining('"message":"stopped"')]);
  return { read: (next: Served) => next.client(data.api_key).send("GET", `/v0/files/${id}/download`) };
}

/** Node and npm on the base of a system, with what this machine is told of the registry. */
async function makeBuildBase({ docker }: Engine): Promise<void> {
  await using root = await openEmptyRoot();
  const local = root.at("usr/local");
  await mkdir(join(local, "bin"), { recursive: true });
  await cp(await realpath(Bun.which("node") ?? ""), join(local, "bin/node"));
  const npm = await realpath(Bun.which("npm") ?? "");
  await cp(resolve(npm, "../.."), join(local, "lib/npm"), { recursive: true });
  for (const tool of ["npm", "npx"]) await symlink(`../lib/npm/bin/${tool}-cli.js`, join(local, "bin", tool));
  const registry = (await Bun.$`npm config get registry`.text()).trim();
  const authorities = process.env["NODE_EXTRA_CA_CERTS"];
  if (authorities !== undefined) await cp(authorities, root.at("etc/authorities"), { dereference: true });
  const variables = [
    "PATH=/usr/local/bin:/usr/sbin:/usr/bin",
    `npm_config_registry=${registry}`,
    ...(authorities === undefined ? [] : ["NODE_EXTRA_CA_CERTS=/etc/authorities"]),
  ];
  await makeBase(docker, root.at(""), ["--platform", "linux/amd64", "--tag", "build-base"], variables);
}

/** The library of C, a user, and no shell, for both processors: of the second one nothing is run. */
async function makeRunBases({ docker }: Engine, place: string): Promise<void> {
  const root = join(place, "root");
  const unpack = 'for package in *.deb; do dpkg-deb -x "$package" root; done';
  const script = `apt-get -qq -o APT::Sandbox::User=root download libc6 base-files && ${unpack}`;
  await Bun.$`sh -c ${script}`.cwd(place).quiet();
  await Bun.write(join(root, "etc/passwd"), "nonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n");
  await chmod(join(root, "tmp"), 0o1777);
  for (const processor of ["amd64", "arm64"]) {
    const as = ["--platform", `linux/${processor}`, "--tag", `run-base:${processor}`];
    await makeBase(docker, root, as, ["PATH=/usr/local/bin:/usr/bin"]);
  }
}

async function makeBase(
  docker: Engine["docker"],
  root: string,
  options: readonly string[],
  variables: readonly string[],
): Promise<void> {
  await using place = await temporaryDirectory();
  const file = join(place.path, "Dockerfile");
  await Bun.write(file, ["FROM scratch", "COPY . /", ...variables.map((each) => `ENV ${each}`)].join("\n"));
  await docker("build", "--file", file, ...options, root);
}
