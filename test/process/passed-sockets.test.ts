import { expect, test } from "bun:test";
import { takePassing } from "../../src/config.ts";
import { passedSockets } from "../../src/process/sockets/passed-sockets.ts";

const own = String(process.pid);

test.each([
  ["nothing", {}, null],
  ["a count without a process", { LISTEN_FDS: "1" }, null],
  ["a process without a count", { LISTEN_PID: own }, null],
  ["another process", { LISTEN_PID: "1", LISTEN_FDS: "1" }, null],
  ["this process in other words", { LISTEN_PID: `0${own}`, LISTEN_FDS: "1" }, null],
  ["this process", { LISTEN_PID: own, LISTEN_FDS: "1" }, { count: "1", names: null }],
  [
    "this process, with names",
    { LISTEN_PID: own, LISTEN_FDS: "2", LISTEN_FDNAMES: "coffer.socket:redirect" },
    { count: "2", names: ["coffer.socket", "redirect"] },
  ],
  ["any words", { LISTEN_PID: own, LISTEN_FDS: "many", LISTEN_FDNAMES: "" }, { count: "many", names: [""] }],
])("variables for %s are read once, and no child finds them", (_, variables, expected) => {
  const env: Record<string, string> = { ...variables, LISTEN_PIDFDID: "7", PATH: "/bin" };
  expect(takePassing(env)).toEqual(expected);
  expect(env).toEqual({ PATH: "/bin" });
});

test("without variables no descriptor is looked at", () => {
  expect(passedSockets(null, true)).toBeNull();
});

test("children do not inherit what was taken out of the environment", () => {
  Object.assign(process.env, { LISTEN_PID: "1", LISTEN_FDS: "1", LISTEN_FDNAMES: "a" });
  takePassing();
  expect(Bun.spawnSync(["env"]).stdout.toString()).not.toContain("LISTEN_");
});

const FITS_NOT = "does not fit";
const NAMED_WRONG = "one must have another name than redirect";

test.if(process.platform === "linux").each([
  [FITS_NOT, "0", null],
  [FITS_NOT, "-1", null],
  [FITS_NOT, "3", null],
  [FITS_NOT, "1e0", null],
  [FITS_NOT, " 1", null],
  [FITS_NOT, "4294967297", null],
  [FITS_NOT, "1", ["a", "b"]],
  [FITS_NOT, "2", [""]],
  [NAMED_WRONG, "2", null],
  [NAMED_WRONG, "2", ["a", "b"]],
  [NAMED_WRONG, "1", ["redirect"]],
  [NAMED_WRONG, "2", ["redirect", "redirect"]],
] as const)(
  "what cannot be meant is refused before a descriptor is used: %s, %p, %p",
  (says, count, names) => {
    expect(() => passedSockets({ count, names }, true)).toThrow(says);
  },
);
