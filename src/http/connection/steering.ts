import { FFIType, ptr } from "bun:ffi";
import { listeningOn, SOCKET_FUNCTIONS, SOL_SOCKET } from "../../process/sockets/sockets.ts";
import { openSystem } from "../../process/system-library.ts";

const FUNCTIONS = {
  ...SOCKET_FUNCTIONS,
  setsockopt: {
    args: [FFIType.i32, FFIType.i32, FFIType.i32, FFIType.ptr, FFIType.u32],
    returns: FFIType.i32,
  },
} as const;

// Of Linux, on each processor that the runtime is made for.
const SO_ATTACH_REUSEPORT_CBPF = 51;
/** `BPF_RET | BPF_K`: the program returns its constant. */
const BPF_RETURN = 6;

/**
 * Of two sockets that listen on `port` in this process, makes the second one get all new connections. The kernel would
 * share them out, and reset those that wait for the first one when that is closed. Returns false where that cannot be
 * done: on Linux alone it can.
 */
export function steerToSecond(port: number): boolean {
  const system = process.platform === "linux" ? openSystem(FUNCTIONS) : null;
  if (system === null) return false;
  const listening = listeningOn(system, port);
  if (listening === null) return false;
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
