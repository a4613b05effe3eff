import { describe, expect, test } from "bun:test";
import { signed, wrongInSignature } from "../../src/release/code-signature.ts";
import { readMachO } from "../../src/release/mach-o.ts";

const PAGE = 4096;
/** Where the signature begins: in the midst of a page, on a border of 16 bytes. */
const LIMIT = 2 * PAGE + 512;
/** Where its load command is, behind those of two segments. */
const COMMAND = 32 + 72 + 72;

/** A program of macOS as a linker leaves it: the last segment has nothing but a signature, which is of nothing. */
function program(): Uint8Array {
  const file = Buffer.alloc(LIMIT + 16, 0x90).fill(0, 0, PAGE);
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(0x01000007, 4);
  file.writeUInt32LE(3, 16);
  const segment = (at: number, name: string, [start, length]: readonly [number, number]) => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8);
    file.writeBigUInt64LE(BigInt(start), at + 40);
    file.writeBigUInt64LE(BigInt(length), at + 48);
  };
  segment(32, "__TEXT", [0, LIMIT]);
  segment(32 + 72, "__LINKEDIT", [LIMIT, 16]);
  file.writeUInt32LE(0x1d, COMMAND);
  file.writeUInt32LE(16, COMMAND + 4);
  file.writeUInt32LE(LIMIT, COMMAND + 8);
  file.writeUInt32LE(16, COMMAND + 12);
  return file;
}

/** A copy with one byte that is another one. */
function flipped(file: Uint8Array, at: number): Uint8Array {
  return file.map((byte, index) => (index === at ? byte ^ 1 : byte));
}

/** A copy with another number of 32 bits in its signature, in big-endian. */
function changed(file: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Buffer.from(file);
  copy.writeUInt32BE(value, LIMIT + at);
  return copy;
}

describe("the signature of an executable of macOS", () => {
  test("a program is signed, in the same way each time, and its segment grows with the signature", () => {
    const made = signed(program(), "coffer");
    expect(wrongInSignature(made)).toBeNull();
    expect(signed(made, "coffer")).toEqual(made);
    const { signature, linkEdit } = readMachO(made);
    expect(signature).toEqual({ command: COMMAND, start: LIMIT, end: made.length });
    expect(linkEdit.end).toBe(made.length);
    expect(made.length % 16).toBe(0);
    const name = Buffer.from(made).toString("latin1", LIMIT + 20 + 88, LIMIT + 20 + 88 + 7);
    expect(name).toBe("coffer\0");
  });

  test("a byte that was flipped is found, and in which page", () => {
    const made = signed(program(), "coffer");
    for (const [at, page] of [
      [24, 0],
      [PAGE, 1],
      [2 * PAGE - 1, 1],
      [LIMIT - 1, 2],
    ] as const)
      expect(wrongInSignature(flipped(made, at))).toBe(`page ${page} of 3 has another hash`);
    // The last hash of the signature.
    expect(wrongInSignature(flipped(made, LIMIT + 20 + 88 + 7 + 2 * 32))).toBe(
      "page 2 of 3 has another hash",
    );
  });

  test("what is no signature of this file is told from one that is", () => {
    const made = signed(program(), "coffer");
    expect(wrongInSignature(program())).toBe("it has no code directory");
    expect(wrongInSignature(Buffer.concat([made, new Uint8Array(1)]))).toBe("it is not the end of the file");
    expect(wrongInSignature(changed(made, 20 + 4, 1_000_000))).toBe("it has no code directory");
    expect(wrongInSignature(changed(made, 20 + 8, 0x20300))).toBe("its code directory is of an old version");
    // Of a team, with the hardened runtime.
    expect(wrongInSignature(changed(made, 20 + 12, 0x10000))).toBe("it is not ad hoc");
    expect(wrongInSignature(signed(program(), ""))).toBe("it has no identifier");
    expect(wrongInSignature(changed(made, 20 + 28, 2))).toContain("not as many hashes");
    expect(wrongInSignature(changed(made, 20 + 32, PAGE))).toBe("it is not of the whole file");
    expect(wrongInSignature(changed(made, 20 + 36, 0x14010000 | PAGE))).toContain("not SHA-256");
    const unsigned = Buffer.from(made);
    unsigned.writeUInt32LE(0x1b, COMMAND);
    expect(wrongInSignature(unsigned)).toBe("there is none");
    expect(() => signed(unsigned, "coffer")).toThrow("no signature");
  });

  test("what is no program of macOS, or is cut off, is refused", () => {
    const made = signed(program(), "coffer");
    for (const end of [0, 31]) expect(() => readMachO(made.subarray(0, end))).toThrow("no Mach-O");
    for (const end of [32, 100, 150, COMMAND + 10, LIMIT + 15])
      expect(() => readMachO(made.subarray(0, end))).toThrow("cut off");
    const renamed = Buffer.from(made);
    renamed.write("__DATA\0", 32 + 8);
    expect(() => wrongInSignature(renamed)).toThrow("no program");
  });
});
