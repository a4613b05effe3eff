const TOKEN = /\s+|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gy;
const INDENT = "  ";
/** Deep nesting can turn a short text into megabytes of indentation. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * Indents JSON, with one member a line. Tokens stay as they are written, so that numbers too long for JavaScript
 * keep their digits. Null where the text is not JSON, or the result would be too long.
 */
export function layOutJson(text: string): string | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  let out = "";
  let depth = 0;
  let opened = false;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token.trim() === "") continue;
    if (out.length > MOST_CHARACTERS) return null;
    const closes = token === "}" || token === "]";
    if (closes) depth -= 1;
    // An empty object or array stays on its line.
    if (closes ? !opened : opened) out += `\n${INDENT.repeat(depth)}`;
    out += token;
    opened = token === "{" || token === "[";
    if (opened) depth += 1;
    if (token === ",") out += `\n${INDENT.repeat(depth)}`;
    if (token === ":") out += " ";
  }
  return out;
}
