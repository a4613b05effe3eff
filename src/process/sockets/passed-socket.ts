import { FFIType, ptr } from "bun:ffi";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../domain/errors.ts";
import { openDescriptors } from "../descriptors.ts";
import { openSystem } from "../system-library.ts";
import {
  isListening,
  listeningOn,
  otherEnd,
  ownEnd,
  SOCKET_FUNCTIONS,
  type SocketAddress,
  type SocketSystem,
} from "./sockets.ts";
import { watchesOf } from "./watches.ts";

const { i32, ptr: pointer, u32 } = FFIType;
const FUNCTIONS = {
  ...SOCKET_FUNCTIONS,
  fcntl: { args: [i32, i32, i32], returns: i32 },
  setsockopt: { args: [i32, i32, i32, pointer, u32], returns: i32 },
  dup3: { args: [i32, i32, i32], returns: i32 },
  epoll_ctl: { args: [i32, i32, i32, pointer], returns: i32 },
} as const;
type System = NonNullable<ReturnType<typeof openSystem<typeof FUNCTIONS>>>;

// Of Linux, on each processor that the runtime is made for.
const [F_SETFD, F_GETFL, F_SETFL] = [2, 3, 4] as const;
const FD_CLOEXEC = 1;
const [O_NONBLOCK, O_CLOEXEC] = [0x800, 0x80000] as const;
const [IPPROTO_TCP, TCP_DEFER_ACCEPT] = [6, 9] as const;
const [EPOLL_CTL_ADD, EPOLL_CTL_DEL] = [1, 2] as const;

/** How often, and how many times, it is looked whether a connection was accepted: for ten seconds. */
const LOOK_MS = 5;
const LOOKS = 2000;

/**
 * A socket that listens, and that the manager of services has passed: it holds it too, so while no server runs,
 * connections wait there for the next one. Linux only.
 *
 * The runtime listens on no descriptor that it is given. So a server listens on a port of its own, and the descriptor of
 * that is then made one of this socket. The runtime does not notice: it knows its descriptor by the number.
 */
export class PassedSocket implements SocketAddress {
  readonly host: string;
  readonly port: number;
  readonly #descriptor: number;
  readonly #system: System;

  /** @param descriptor of this process from now on alone. Throws an Error for the operator if it is no such socket. */
  constructor(descriptor: number) {
    const system = openSystem(FUNCTIONS);
    if (system === null) throw new Error("The system's library cannot be used, so no socket can be taken.");
    const address = ownEnd(system, descriptor);
    if (address === null || !isListening(system, descriptor)) {
      throw new Error(
        `Descriptor ${descriptor} was passed, and is no TCP socket that listens. A socket unit must have ListenStream= with a port, and Accept=no.`,
      );
    }
    system.fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    system.fcntl(descriptor, F_SETFL, system.fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK);
    // As the runtime has it where it listens: a connection comes with its first bytes.
    system.setsockopt(descriptor, IPPROTO_TCP, TCP_DEFER_ACCEPT, ptr(Int32Array.of(1)), 4);
    this.host = address.host;
    this.port = address.port;
    this.#descriptor = descriptor;
    this.#system = system;
  }

  /**
   * Has the server of this process that listens at an address listen here instead.
   *
   * @returns what makes it get no more connections from here, while it listens; those that it has stay
   * @throws an Error for the operator if the runtime listens in a way that is not known
   */
  give({ host, port }: SocketAddress): () => void {
    const { epoll_ctl: control, dup3 } = this.#system;
    const taken = listeningOn(this.#system, port, host);
    const [watch, ...others] = taken === null ? [] : watchesOf(taken);
    if (taken === null || watch === undefined || others.length > 0) throw this.#unusable();
    const { epoll, event } = watch;
    // This closes what the server listened on, which ends the watch over it.
    if (dup3(this.#descriptor, taken, O_CLOEXEC) !== taken) throw this.#unusable();
    if (control(epoll, EPOLL_CTL_ADD, taken, ptr(event)) !== 0) throw this.#unusable();
    return () => void control(epoll, EPOLL_CTL_DEL, taken, ptr(event));
  }

  /** Connects, and rejects with an Error for the operator unless this process accepts that. @param looks overrides `LOOKS` */
  async requireAccepted(looks = LOOKS): Promise<void> {
    const client = await this.#connect();
    client.write("G");
    try {
      for (let look = 0; look < looks; look++) {
        if (isAccepted(this.#system, { from: client.localPort, to: this.port })) return;
        await sleep(LOOK_MS);
      }
    } finally {
      client.terminate();
    }
    throw this.#unusable();
  }

  async #connect() {
    let cause: unknown = null;
    for (const hostname of hostsOf(this.host)) {
      try {
        return await Bun.connect({ hostname, port: this.port, socket: { data: () => {} } });
      } catch (error) {
        cause = error;
      }
    }
    throw new Error(
      `The passed socket at ${this.host}, port ${this.port}, cannot be reached from this machine (${messageOf(cause)}). See what the firewall and the unit forbid.`,
      { cause },
    );
  }

  #unusable(): Error {
    return new Error(
      `The passed socket at ${this.host}, port ${this.port}, cannot be used by this version. Disable the socket unit, then start again: the server listens itself.`,
    );
  }
}

/** Where this machine reaches who listens at an address. */
function hostsOf(host: string): string[] {
  // Only some machines have IPv6 on loopback.
  if (host === "::") return ["::1", "127.0.0.1"];
  return [host === "0.0.0.0" ? "127.0.0.1" : host];
}

/** Whether this process has the other end of a connection between two ports. */
function isAccepted(system: SocketSystem, { from, to }: { readonly from: number; readonly to: number }) {
  return (openDescriptors() ?? []).some(
    (descriptor) => otherEnd(system, descriptor)?.port === from && ownEnd(system, descriptor)?.port === to,
  );
}
