const TOKEN = /\s+|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/gy;
const INDENT = "  ";
/** Deep nesting makes megabytes of indentation out of little. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * Lays out JSON with a line for each member. Every token stays as it is written, numbers too long for
 * JavaScript included. Null where the text is no JSON, or would become too long.
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
