import { deflateSync } from "node:zlib";

type Bytes = Uint8Array<ArrayBuffer>;

/** A black picture of one byte a pixel. */
export function png(width: number, height: number): Bytes {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  const rows = Buffer.alloc((width + 1) * height);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", deflateSync(rows)), chunk("IEND")]);
}

/** One that says it has many pixels, and has none. */
export function claimingPng(width: number, height: number): Bytes {
  const picture = Buffer.from(png(1, 1));
  const head = Buffer.from(picture.subarray(16, 29));
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([picture.subarray(0, 8), chunk("IHDR", head), picture.subarray(33)]);
}

/** 40 pixels wide and 20 high, to be turned by a quarter. It names a place, and has a comment. */
export async function turnedJpeg(comment: string): Promise<Bytes> {
  const jpeg = await new Bun.Image(png(40, 20)).jpeg().bytes();
  // A TIFF of one tag: 0x0112, Orientation, of value 6.
  const tags = "4d4d002a00000008000101120003000000010006000000000000";
  const exif = Buffer.from(`457869660000${tags}`, "hex");
  const parts = [segment(0xe1, exif), segment(0xfe, Buffer.from(comment))];
  return Buffer.concat([jpeg.subarray(0, 2), ...parts, jpeg.subarray(2)]);
}

/** A JPEG that is drawn again and again, each time whole: a short file that takes minutes. */
export async function manyScans(): Promise<Bytes> {
  const jpeg = Buffer.from(await new Bun.Image(png(8000, 8000)).jpeg({ progressive: true }).bytes());
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2);
  return Buffer.concat([
    jpeg.subarray(0, -2),
    ...Array.from({ length: 3000 }, () => scan),
    jpeg.subarray(-2),
  ]);
}

function segment(marker: number, data: Uint8Array): Bytes {
  return Buffer.concat([new Uint8Array([0xff, marker, 0, data.length + 2]), data]);
}

function chunk(type: string, data: Uint8Array = new Uint8Array()): Bytes {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([length, body, check]);
}
