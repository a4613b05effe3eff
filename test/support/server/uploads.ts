import type { Json } from "./client.ts";
import { invalid, type Step } from "./steps.ts";

/** "Hello World!" in base64, and its SHA-256. */
export const HELLO = "SGVsbG8gV29ybGQh";
export const HELLO_DIGEST = "7f83b1657ff1fc53b92dc18148a1d65dfc2d4b1fa3d677284addd200126d9069";

/** The header of a form. */
export const FORM_TYPE = { "content-type": "multipart/form-data; boundary=x" };

/** The body of a form. Of each part what names it, such as `name="path"`, and its content. */
export function formOf(...parts: readonly (readonly [naming: string, content: string])[]): string {
  const made = parts.map(
    ([naming, content]) => `--x\r\nContent-Disposition: form-data; ${naming}\r\n\r\n${content}\r\n`,
  );
  return `${made.join("")}--x--\r\n`;
}

/**
 * An upload in JSON of "Hello World!" as `f.txt`, or to a `path`, into `{drive}`, with these fields added or replaced. By default the
 * expected response is the record of a file with this name.
 */
export function post(fields: { [name: string]: Json } = {}, more: Partial<Step> = {}): Step {
  const { path } = fields;
  const isNamed = typeof path === "string" && !path.endsWith("/");
  const name: { [name: string]: Json } = isNamed ? {} : { filename: "f.txt" };
  const body = { drive_id: "{drive}", ...name, content: HELLO, ...fields };
  const json = "filename" in body ? { filename: body["filename"] ?? null } : {};
  return { request: ["POST", "/v0/files"], body, status: 201, json, ...more };
}

/** An upload in JSON: these fields create a record with at least `json`. */
export function accepted(fields: { [name: string]: Json }, json: object): Step {
  return post(fields, { json });
}

/** The same, where the record shows them as they were sent. */
export function kept(fields: { [name: string]: Json }): Step {
  return accepted(fields, fields);
}

/** An upload in JSON: these fields are refused because of `field`, and no file is created. */
export function rejected(fields: { [name: string]: Json }, field: string): Step[] {
  return [post(fields, invalid(field)), holds()];
}

/**
 * Uploads raw bytes to a path of `{drive}`. By default the expected response is the record of a file with this path and
 * size.
 */
export function put(
  path: string,
  content: string | Uint8Array<ArrayBuffer> = "Hello World!",
  more: Partial<Step> = {},
): Step {
  return {
    request: ["PUT", `/v0/files?drive_id={drive}&path=${encodeURIComponent(path)}`],
    body: content,
    status: 201,
    json: { path, size: Buffer.byteLength(content) },
    ...more,
  };
}

/** A complete list of `{drive}` must have exactly these paths. */
export function holds(...paths: string[]): Step {
  return {
    request: ["GET", "/v0/files?drive_id={drive}&limit=1000"],
    status: 200,
    json: { data: paths.map((path) => ({ path })), total: paths.length },
  };
}
