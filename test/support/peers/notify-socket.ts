import { FFIType, ptr } from "bun:ffi";
import { openSystem } from "../../../src/process/system-library.ts";

const FUNCTIONS = {
  socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  bind: { args: [FFIType.i32, FFIType.ptr, FFIType.u32], returns: FFIType.i32 },
  recv: { args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32], returns: FFIType.i64 },
  close: { args: [FFIType.i32], returns: FFIType.i32 },
} as const;
/** `AF_UNIX`, `SOCK_DGRAM` and `MSG_DONTWAIT` of Linux. */
const [UNIX, DATAGRAM, AT_ONCE] = [1, 2, 0x40] as const;

/** Takes the place of systemd: a datagram socket, and what is sent there. Linux only. */
export class NotifySocket implements Disposable {
  readonly #system;
  readonly #descriptor: number;

  /** @param path where it is; a leading `@` is for the abstract name space */
  constructor(path: string) {
    const system = openSystem(FUNCTIONS);
    if (system === null) throw new Error("the system's library cannot be used");
    this.#system = system;
    this.#descriptor = system.socket(UNIX, DATAGRAM, 0);
    const name = Buffer.from(`\u0001\0${path.replace(/^@/, "\0")}`);
    if (system.bind(this.#descriptor, ptr(name), name.length) !== 0) throw new Error(`no socket at ${path}`);
  }

  /** What has come and was not taken yet, message by message. */
  take(): string[] {
    const messages: string[] = [];
    const bytes = new Uint8Array(256);
    for (;;) {
      const length = Number(this.#system.recv(this.#descriptor, ptr(bytes), bytes.length, AT_ONCE));
      if (length < 0) return messages;
      messages.push(Buffer.from(bytes.subarray(0, length)).toString());
    }
  }

  [Symbol.dispose](): void {
    this.#system.close(this.#descriptor);
  }
}
