/** What processors are called in the headers of ELF, Mach-O and PE. */
const MACHINES: Readonly<Record<"ELF" | "Mach-O" | "PE", Readonly<Record<number, string>>>> = {
  ELF: { 0x3e: "x86-64", 0xb7: "AArch64" },
  "Mach-O": { 0x0100_0007: "x86-64", 0x0100_000c: "AArch64" },
  PE: { 0x8664: "x86-64", 0xaa64: "AArch64" },
};

/** How many bytes at the start of an executable say its format. */
export const HEADER_BYTES = 4096;

/** The format of an executable and its processor, such as `ELF AArch64`, from its first bytes; `unknown` if none is. */
export function formatOf(header: Uint8Array): string {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (view.byteLength < 64) return "unknown";
  if (view.getUint32(0) === 0x7f45_4c46) return named("ELF", view.getUint16(18, true));
  if (view.getUint32(0, true) === 0xfeed_facf) return named("Mach-O", view.getUint32(4, true));
  // "MZ", and where the header of PE begins.
  const at = view.getUint16(0) === 0x4d5a ? view.getUint32(0x3c, true) : Infinity;
  if (at + 6 > view.byteLength || view.getUint32(at) !== 0x5045_0000) return "unknown";
  return named("PE", view.getUint16(at + 4, true));
}

function named(format: keyof typeof MACHINES, machine: number): string {
  return `${format} ${MACHINES[format][machine] ?? "of another processor"}`;
}
