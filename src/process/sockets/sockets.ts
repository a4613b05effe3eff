import { FFIType, ptr } from "bun:ffi";
import { openDescriptors } from "../descriptors.ts";
import type { openSystem } from "../system-library.ts";

const { i32, ptr: pointer } = FFIType;

/** What `openSystem` is asked for to look at sockets. */
export const SOCKET_FUNCTIONS = {
  getsockname: { args: [i32, pointer, pointer], returns: i32 },
  getpeername: { args: [i32, pointer, pointer], returns: i32 },
  getsockopt: { args: [i32, i32, i32, pointer, pointer], returns: i32 },
} as const;

/** The functions of the system that look at sockets. */
export type SocketSystem = NonNullable<ReturnType<typeof openSystem<typeof SOCKET_FUNCTIONS>>>;

/** One end of a connection, or where a socket listens. */
export interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

// Of Linux, on each processor that the runtime is made for.
const [INET, INET6] = [2, 10] as const;
const STREAM = 1;
/** The options of all sockets. */
export const SOL_SOCKET = 1;
const SO_TYPE = 3;
const SO_ACCEPTCONN = 30;
/** Bytes of the longest address that a socket of the network has. */
const ADDRESS_BYTES = 28;

/** The address of a descriptor's own end; null if it is no socket of IPv4 or IPv6. */
export function ownEnd({ getsockname }: SocketSystem, descriptor: number): SocketAddress | null {
  return addressBy(getsockname, descriptor);
}

/** The address of who is connected to a descriptor; null if nobody is. */
export function otherEnd({ getpeername }: SocketSystem, descriptor: number): SocketAddress | null {
  return addressBy(getpeername, descriptor);
}

/** Whether connections come to a descriptor. */
export function isListening(system: SocketSystem, descriptor: number): boolean {
  return (
    optionOf(system, descriptor, SO_TYPE) === STREAM && optionOf(system, descriptor, SO_ACCEPTCONN) === 1
  );
}

/** The descriptor of this process that listens on a port; null if none does. @param host null for any */
export function listeningOn(system: SocketSystem, port: number, host: string | null = null): number | null {
  const isIt = (descriptor: number) => {
    const own = ownEnd(system, descriptor);
    return own?.port === port && own.host === (host ?? own.host) && isListening(system, descriptor);
  };
  return (openDescriptors() ?? []).find(isIt) ?? null;
}

function addressBy(ask: SocketSystem["getsockname"], descriptor: number): SocketAddress | null {
  const bytes = new Uint8Array(ADDRESS_BYTES);
  if (ask(descriptor, ptr(bytes), ptr(Uint32Array.of(ADDRESS_BYTES))) !== 0) return null;
  const view = new DataView(bytes.buffer);
  const family = view.getUint16(0, true);
  if (family !== INET && family !== INET6) return null;
  // All but the family is in the order of the network.
  const host = family === INET ? bytes.subarray(4, 8).join(".") : textOfIpv6(view);
  return { host, port: view.getUint16(2) };
}

/** In its short form. */
function textOfIpv6(view: DataView): string {
  const groups = Array.from({ length: 8 }, (_, at) => view.getUint16(8 + 2 * at).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

function optionOf({ getsockopt }: SocketSystem, descriptor: number, option: number): number | null {
  const value = new Int32Array(1);
  const isKnown =
    getsockopt(descriptor, SOL_SOCKET, option, ptr(value), ptr(Uint32Array.of(value.byteLength))) === 0;
  return isKnown ? (value[0] ?? null) : null;
}
