/** JSON that costs much for its length, each of at most `bytes`: what parses it and looks at it does that in one turn. */
export function hostileBodies(bytes: number): ReadonlyMap<string, string> {
  const filled = (start: string, part: string, end: string) =>
    start + part.repeat(Math.max(1, Math.floor((bytes - start.length - end.length) / part.length))) + end;
  return new Map([
    ["zeros", filled('{"z":[', "0,", "0]}")],
    ["empty texts", filled('{"tags":[', '"",', '""]}')],
    ["empty arrays", filled('{"metadata":{"z":[', "[],", "[]]}}")],
    ["objects", filled('{"edits":[', '{"a":{}},', "{}]}")],
    ["names", names(bytes, (i) => i.toString(36))],
    ["names that are numbers", names(bytes, (i) => String((i * 1_000_003) % 4_294_967_291))],
    ["brackets", filled("", "[", "")],
    ["numbers with exponents", filled('{"metadata":{"z":[', "1e5,", "1]}}")],
    ["a long text", filled('{"text":"', "a", '"}')],
    ["a text of escapes", filled('{"text":"', "\\n", '"}')],
    ["a path of marks", filled('{"path":"a', "\\u0301\\u0316", '"}')],
    ["a long number", filled('{"n":', "1", "}")],
    ["white space", filled("", " ", "x")],
    ["a text without an end", filled('{"text":"', "a", "")],
    ["quotes", filled("", '"', "")],
    ["no JSON", filled("[", "0,", "}")],
  ]);
}

function names(bytes: number, name: (index: number) => string): string {
  const parts: string[] = [];
  let length = 2;
  for (let i = 0; ; i++) {
    const part = `"${name(i)}":0`;
    length += part.length + 1;
    if (length > bytes) return `{${parts.join(",")}}`;
    parts.push(part);
  }
}
