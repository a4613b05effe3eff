import { expect, test } from "bun:test";
import { join } from "node:path";
import { notifyAddress } from "../../../src/config.ts";
import { ServiceManager } from "../../../src/process/service-manager.ts";
import { NotifySocket } from "../../support/peers/notify-socket.ts";
import { serve } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const isLinux = process.platform === "linux";

test.if(isLinux)("systemd is told that the server is ready, that it lives, and that it stops", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const path = join(place.path, "notify");
  using manager = new NotifySocket(path);
  await using server = await serve({ env: { NOTIFY_SOCKET: path, WATCHDOG_USEC: "30000" } });
  const told: string[] = [];
  const isTold = (state: string) =>
    eventually(() => {
      told.push(...manager.take());
      return told.includes(state);
    });
  await isTold("READY=1");
  expect(told[0]).toBe("READY=1");
  await isTold("WATCHDOG=1");
  expect(await server.stop()).toBe(0);
  await isTold("STOPPING=1");
  expect(told.at(-1)).toBe("STOPPING=1");
});

test.if(isLinux)(
  "a process that does not work is not called alive, nor is one that nobody watches",
  async () => {
    const socket = `@coffer-test-${process.pid}`;
    using manager = new NotifySocket(socket);
    const counts = { asked: 0, dead: 3 };
    const requireAlive = () => {
      counts.asked += 1;
      if (counts.asked <= counts.dead) throw new Error("the database does not answer");
    };
    const unwatched = new ServiceManager({ socket, watchdogMs: null });
    unwatched.ready(requireAlive);
    const watched = new ServiceManager({ socket, watchdogMs: 3 });
    watched.ready(requireAlive);
    const told: string[] = [];
    await eventually(() => {
      told.push(...manager.take());
      return told.length > 4;
    });
    watched.stopping();
    told.push(...manager.take());
    expect(told.slice(0, 2)).toEqual(["READY=1", "READY=1"]);
    expect(told.filter((state) => state === "WATCHDOG=1")).toHaveLength(counts.asked - counts.dead);
  },
);

test("the manager of services is named by the environment, and the watchdog is for one process", () => {
  const socket = "/run/notify";
  const watched = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "60000000" };
  expect(notifyAddress({})).toBeNull();
  expect(notifyAddress({ NOTIFY_SOCKET: socket })).toEqual({ socket, watchdogMs: null });
  expect(notifyAddress(watched)).toEqual({ socket, watchdogMs: 60_000 });
  expect(notifyAddress({ ...watched, WATCHDOG_PID: String(process.pid) })?.watchdogMs).toBe(60_000);
  expect(notifyAddress({ ...watched, WATCHDOG_PID: "1" })?.watchdogMs).toBeNull();
  expect(notifyAddress({ ...watched, WATCHDOG_USEC: "soon" })?.watchdogMs).toBeNull();
});
