import { FFIType, ptr } from "bun:ffi";
import { ownEnd, SOCKET_FUNCTIONS } from "../../../src/process/sockets/sockets.ts";
import { openSystem } from "../../../src/process/system-library.ts";

const { i32, ptr: pointer, u32 } = FFIType;
const FUNCTIONS = {
  ...SOCKET_FUNCTIONS,
  socket: { args: [i32, i32, i32], returns: i32 },
  bind: { args: [i32, pointer, u32], returns: i32 },
  listen: { args: [i32, i32], returns: i32 },
  connect: { args: [i32, pointer, u32], returns: i32 },
  close: { args: [i32], returns: i32 },
} as const;
/** `AF_INET`, `AF_INET6`, `SOCK_STREAM`, `SOCK_DGRAM` and `SOCK_CLOEXEC` of Linux. */
const [INET, INET6, STREAM, DATAGRAM, CLOSED_IN_CHILDREN] = [2, 10, 1, 2, 0x80000] as const;
const QUEUE = 4096;

/** What the socket is: of these a server can only use one that listens. */
type SocketKind = "listening" | "bound" | "connected" | "datagram";

/**
 * A socket as systemd holds one for a service: it is passed to processes, one after another, and nobody accepts
 * anything from it here. Linux only.
 */
export class HeldSocket implements Disposable {
  readonly descriptor: number;
  readonly port: number;
  readonly #system;

  /** @param host 127.0.0.1, or all addresses, of IPv6 too */
  constructor(kind: SocketKind = "listening", host: "127.0.0.1" | "::" = "127.0.0.1", port = 0) {
    const system = openSystem(FUNCTIONS);
    if (system === null) throw new Error("the system's library cannot be used");
    const type = kind === "datagram" ? DATAGRAM : STREAM;
    this.#system = system;
    this.descriptor = system.socket(host === "::" ? INET6 : INET, type | CLOSED_IN_CHILDREN, 0);
    const name = nameOf(host, port);
    const take = kind === "connected" ? system.connect : system.bind;
    if (take(this.descriptor, ptr(name), name.length) !== 0) throw new Error(`no socket at port ${port}`);
    if (kind === "listening") system.listen(this.descriptor, QUEUE);
    this.port = ownEnd(system, this.descriptor)?.port ?? 0;
  }

  [Symbol.dispose](): void {
    this.#system.close(this.descriptor);
  }
}

/** A `sockaddr_in` or a `sockaddr_in6`. */
function nameOf(host: "127.0.0.1" | "::", port: number): Uint8Array {
  const name = new Uint8Array(host === "::" ? 28 : 16);
  const view = new DataView(name.buffer);
  view.setUint16(0, host === "::" ? INET6 : INET, true);
  view.setUint16(2, port);
  if (host !== "::") name.set([127, 0, 0, 1], 4);
  return name;
}
