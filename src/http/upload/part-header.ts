import { invalid } from "../../domain/errors.ts";

/** The header of a `multipart/form-data` part (RFC 7578 section 4). */
export interface PartHeader {
  readonly name: string;
  /** As sent, maybe with a path; undefined if there is none, `""` if a browser had no file to send. */
  readonly filename: string | undefined;
  /** The Content-Type as sent, with its parameters. */
  readonly contentType: string | undefined;
}

/** `; name=value` or `; name="value"`, with `\"` and `\\` as curl escapes them. */
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"((?:\\["\\]|\\(?!["\\])|[^"\\])*)"|([^\s;"]+))[ \t]*/;

/**
 * Reads a part's header lines.
 * @throws CofferError VALIDATION_ERROR on `body` if they are malformed, name no field, or have a transfer encoding,
 *   which we do not decode (RFC 7578 section 4.7 deprecates it)
 */
export function parsePartHeader(lines: readonly string[]): PartHeader {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\0\r\n]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw invalid("body", "has a malformed part header");
    const key = name.toLowerCase();
    if (headers.has(key)) throw invalid("body", `has a part with two ${key} headers`);
    headers.set(key, value.trimEnd());
  }
  const encoding = headers.get("content-transfer-encoding") ?? "binary";
  if (!/^(?:7bit|8bit|binary)$/i.test(encoding)) {
    throw invalid("body", "has a part with a Content-Transfer-Encoding; send its bytes as they are");
  }
  const parameters = parseDisposition(headers.get("content-disposition") ?? "");
  const name = parameters.get("name");
  if (name === undefined) throw invalid("body", "has a part without a name: name each part after a field");
  const filename = parameters.get("filename");
  const extended = parameters.get("filename*");
  return {
    name: decodeName(name),
    filename: extended === undefined ? filename && decodeName(filename) : decodeExtended(extended),
    contentType: headers.get("content-type"),
  };
}

function parseDisposition(value: string): Map<string, string> {
  const malformed = invalid("body", "has a part with a malformed Content-Disposition");
  const type = /^form-data[ \t]*/i.exec(value);
  if (type === null) throw malformed;
  const parameters = new Map<string, string>();
  const parameter = new RegExp(PARAMETER, "y");
  parameter.lastIndex = type[0].length;
  while (parameter.lastIndex < value.length) {
    const [, name, quoted, token] = parameter.exec(value) ?? [];
    if (name === undefined || parameters.has(name.toLowerCase())) throw malformed;
    parameters.set(name.toLowerCase(), quoted?.replace(/\\(["\\])/g, "$1") ?? token ?? "");
  }
  return parameters;
}

/**
 * Decodes the three characters that browsers escape (HTML, "multipart/form-data encoding algorithm"). They do not
 * escape `%` itself, so no other sequence may be decoded.
 */
function decodeName(name: string): string {
  return name.replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code));
}

/** RFC 8187's `UTF-8'en'na%C3%AFve.txt`: forms should not use it, but some clients do. */
function decodeExtended(value: string): string {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? [];
  try {
    if (encoded !== undefined) return decodeURIComponent(encoded);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw invalid("body", "has a part with a malformed filename*");
}
