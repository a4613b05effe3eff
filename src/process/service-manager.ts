import { FFIType, ptr } from "bun:ffi";
import { openSystem } from "./system-library.ts";

/** Where the manager of services that has started this process, such as systemd, wants to be told of it. */
export interface NotifyAddress {
  /** The path of a datagram socket; one in the abstract name space begins with `@`. */
  readonly socket: string;
  /** How often it must hear that the process is alive, in milliseconds; null for never. */
  readonly watchdogMs: number | null;
}

const FUNCTIONS = {
  socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  sendto: {
    args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
    returns: FFIType.i64,
  },
  close: { args: [FFIType.i32], returns: FFIType.i32 },
} as const;
/** `AF_UNIX`, `SOCK_DGRAM` with `SOCK_CLOEXEC`, and `MSG_DONTWAIT` with `MSG_NOSIGNAL`, of Linux. */
const [UNIX, DATAGRAM, AT_ONCE] = [1, 0x80002, 0x4040] as const;
/** Bytes of a path in a `sockaddr_un`. */
const PATH_BYTES = 108;

/**
 * Tells the manager of services what state the process is in, as `sd_notify` does. The runtime has no datagram sockets
 * of this kind, and a child process would not be taken for the service. Does nothing where nobody is to be told.
 */
export class ServiceManager {
  readonly #address: NotifyAddress | null;
  #timer: NodeJS.Timeout | null = null;

  /** @param address null if nobody is to be told */
  constructor(address: NotifyAddress | null) {
    this.#address = process.platform === "linux" ? address : null;
  }

  /** Now requests are answered. @param requireAlive throws if the process does not work; then it is not called alive */
  ready(requireAlive: () => void): void {
    this.#tell("READY=1");
    const { watchdogMs } = this.#address ?? { watchdogMs: null };
    if (watchdogMs === null) return;
    // A timer: it also stands still when the event loop does.
    this.#timer = setInterval(() => {
      if (isFine(requireAlive)) this.#tell("WATCHDOG=1");
    }, watchdogMs / 3).unref();
  }

  /** The end has begun. */
  stopping(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#tell("STOPPING=1");
  }

  #tell(state: string): void {
    if (this.#address === null) return;
    const system = openSystem(FUNCTIONS);
    if (system === null) return;
    const descriptor = system.socket(UNIX, DATAGRAM, 0);
    if (descriptor < 0) return;
    const [message, name] = [Buffer.from(state), socketName(this.#address.socket)];
    system.sendto(descriptor, ptr(message), message.length, AT_ONCE, ptr(name), name.length);
    system.close(descriptor);
  }
}

/** Whether the process works. Why it does not is logged by who watches that. */
function isFine(requireAlive: () => void): boolean {
  try {
    requireAlive();
    return true;
  } catch {
    return false;
  }
}

/** A `sockaddr_un`: without its end for an abstract name, which has no zero byte there. */
function socketName(socket: string): Uint8Array {
  const path = Buffer.from(socket.replace(/^@/, "\0")).subarray(0, PATH_BYTES);
  const isAbstract = path[0] === 0;
  const name = new Uint8Array(2 + path.length + (isAbstract ? 0 : 1));
  new DataView(name.buffer).setUint16(0, UNIX, true);
  name.set(path, 2);
  return name;
}
