import { FFIType, ptr } from "bun:ffi";
import { openDescriptors } from "../../process/descriptors.ts";
import { openSystem } from "../../process/system-library.ts";

const OPTION_OUT = [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.ptr] as const;
const FUNCTIONS = {
  getsockname: { args: [FFIType.i32, FFIType.ptr, FFIType.ptr], returns: FFIType.i32 },
  getsockopt: { args: OPTION_OUT, returns: FFIType.i32 },
  setsockopt: {
    args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
    returns: FFIType.i32,
  },
} as const;

// Of Linux, on each processor that the runtime is made for.
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** `BPF_RET | BPF_K`: the program returns its constant. */
const BPF_RETURN = 6;
/** Bytes of the longest address that a socket of the network has. */
const ADDRESS_BYTES = 28;

/**
 * Of two sockets that listen on `port` in this process, makes the second one get all new connections. The kernel would
 * share them out, and reset those that wait for the first one when that is closed. Returns false where that cannot be
 * done: on Linux alone it can.
 */
export function steerToSecond(port: number): boolean {
  const system = process.platform === "linux" ? openSystem(FUNCTIONS) : null;
  if (system === null) return false;
  const listening = (openDescriptors() ?? []).find((descriptor) => listensOn(system, descriptor, port));
  if (listening === undefined) return false;
  // It says which of the sockets of a port gets a connection. When the first one is closed, there is no second one, and
  // the kernel takes what is left.
  const instruction = new Uint8Array(8);
  const fields = new DataView(instruction.buffer);
  fields.setUint16(0, BPF_RETURN, true);
  fields.setUint32(4, 1, true);
  const program = new Uint8Array(16);
  const view = new DataView(program.buffer);
  view.setUint16(0, 1, true);
  view.setBigUint64(8, BigInt(ptr(instruction)), true);
  return (
    system.setsockopt(listening, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), program.length) === 0
  );
}

type System = NonNullable<ReturnType<typeof openSystem<typeof FUNCTIONS>>>;

function listensOn(system: System, descriptor: number, port: number): boolean {
  const address = new Uint8Array(ADDRESS_BYTES);
  const length = Uint32Array.of(ADDRESS_BYTES);
  if (system.getsockname(descriptor, ptr(address), ptr(length)) !== 0) return false;
  // The port is in the order of the network.
  if (new DataView(address.buffer).getUint16(2) !== port) return false;
  const listens = new Int32Array(1);
  length[0] = listens.byteLength;
  system.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(listens), ptr(length));
  return listens[0] === 1;
}
