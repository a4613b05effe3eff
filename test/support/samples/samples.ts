/** A second of silence, 8 kHz, 8 bits, mono. */
export function wav(): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(44 + 8000).fill(128, 44);
  const data = new DataView(bytes.buffer);
  bytes.set(Buffer.from("RIFF\0\0\0\0WAVEfmt "));
  bytes.set(Buffer.from("data"), 36);
  data.setUint32(4, 36 + 8000, true);
  data.setUint32(16, 16, true);
  data.setUint16(20, 1, true);
  data.setUint16(22, 1, true);
  data.setUint32(24, 8000, true);
  data.setUint32(28, 8000, true);
  data.setUint16(32, 1, true);
  data.setUint16(34, 8, true);
  data.setUint32(40, 8000, true);
  return bytes;
}

/** A picture of one pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A second of red, VP8 in WebM, 16 by 16 pixels. */
export const WEBM = Buffer.from(
  [
    "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAIFEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZU",
    "rmtTrIHGTbuMU6uEElTDZ1OsggEMTbuMU6uEHFO7a1OsggHv7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBNgIRM",
    "YXZmV0GETGF2ZkSJiECPQAAAAAAAFlSua8GuAQAAAAAAADjXgQFzxYgAAAAAAAAAAZyBACK1nIN1bmSIgQCGhVZfVlA4g4EBI+OD",
    "hA7msoDgibCBELqBEJqBAhJUw2fRc3POY8CLY8WIAAAAAAAAAAFnyJhFo4dFTkNPREVSRIeLTGF2YyBsaWJ2cHhnyKJFo4hEVVJB",
    "VElPTkSHlDAwOjAwOjAxLjAwMDAwMDAwMAAAH0O2dUCH54EAo72BAACA8AIAnQEqEAAQAABHCIWFiIWEiAICAnWqA/gD+gINTRgA",
    "/v1u8//jmTcwxP+Obf/xYTwOKMj/8VEAo5WBAPoAsQEAARAQABgAGFgv9AAIAACjlYEB9ACxAQABEBAAGAAYWC/0AAgAAKOVgQLu",
    "ALEBAAEQEAAYABhYL/QACAAAHFO7a5G7j7OBALeK94EB8YIBYvCBAw==",
  ].join(""),
  "base64",
);
