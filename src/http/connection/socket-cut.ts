import { FFIType, ptr } from "bun:ffi";
import { openDescriptors } from "../../process/descriptors.ts";
import { openSystem } from "../../process/system-library.ts";
import { once } from "../../domain/once.ts";
import { normalise } from "./client-address.ts";

export interface Peer {
  readonly address: string;
  readonly port: number;
}

/** Closes a connection at once, whatever waits to be sent. Returns false where that cannot be done. */
export type CutSocket = (peer: Peer) => boolean;

const FUNCTIONS = {
  getpeername: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  setsockopt: {
    args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
    returns: FFIType.i32,
  },
  shutdown: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 },
} as const;
/** `SOL_SOCKET` and `SO_LINGER`. */
const [SOCKET, LINGER] = process.platform === "darwin" ? ([0xffff, 0x80] as const) : ([1, 13] as const);
/** It is on, for no seconds: what waits to be sent is dropped at the end. */
const NO_SECONDS = Int32Array.of(1, 0);
/** No more is sent and received. The runtime finds that out, and closes the descriptor. */
const BOTH_WAYS = 2;
/** Where it is not known which descriptors are open, so many are looked at: some tenths of a microsecond for each. */
const MOST_DESCRIPTORS = 65_536;
/** Bytes of the longest address that a socket of the network has. */
const ADDRESS_BYTES = 28;
const IPV4_BYTES = 16;

/** The runtime cannot do that: its shortest timeout takes five seconds, and nothing else ends a body that waits to be sent. */
export function socketCuts(): CutSocket {
  const system = once(() => openSystem(FUNCTIONS));
  return (peer) => {
    const library = system();
    const descriptor = library === null ? null : descriptorOf(library, peer);
    if (library === null || descriptor === null) return false;
    library.setsockopt(descriptor, SOCKET, LINGER, ptr(NO_SECONDS), NO_SECONDS.byteLength);
    return library.shutdown(descriptor, BOTH_WAYS) === 0;
  };
}

type Library = NonNullable<ReturnType<typeof openSystem<typeof FUNCTIONS>>>;

function descriptorOf({ getpeername }: Library, { address, port }: Peer): number | null {
  const wanted = normalise(address);
  const found = new Uint8Array(ADDRESS_BYTES);
  const view = new DataView(found.buffer);
  const length = new Uint32Array(1);
  for (const descriptor of openDescriptors() ?? Array(MOST_DESCRIPTORS).keys()) {
    length[0] = ADDRESS_BYTES;
    if (getpeername(descriptor, ptr(found), ptr(length)) !== 0) continue;
    // The port is in the order of the network.
    if (view.getUint16(2) === port && normalise(addressIn(found, length[0])) === wanted) return descriptor;
  }
  return null;
}

/** The address in a `sockaddr_in` or `sockaddr_in6`, all of whose groups are written out. */
function addressIn(bytes: Uint8Array, length: number): string {
  if (length <= IPV4_BYTES) return bytes.subarray(4, 8).join(".");
  const view = new DataView(bytes.buffer);
  return Array.from({ length: 8 }, (_, group) => view.getUint16(8 + 2 * group).toString(16)).join(":");
}
