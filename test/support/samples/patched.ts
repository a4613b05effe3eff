/** Applies a unified diff to a text, as `patch` does. Throws if the diff is not about this text. */
export function patched(text: string, diff: string): string {
  const lines = linesOf(text);
  const result: string[] = [];
  let at = 0;
  let lastMark = "";
  for (const line of linesOf(diff).slice(2)) {
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/.exec(line);
    const [mark, rest] = [line.charAt(0), line.slice(1)];
    if (hunk !== null) {
      const [oldLine, oldCount, newLine, newCount] = hunk.slice(1).map(Number);
      const start = Number(oldLine) - (oldCount === 0 ? 0 : 1);
      result.push(...lines.slice(at, start));
      at = start;
      if (result.length !== Number(newLine) - (newCount === 0 ? 0 : 1))
        throw new Error(`wrong place: ${line}`);
    } else if (mark === "\\") {
      // The line before has no end, in the text that it is of.
      if (lastMark !== "-") result.push((result.pop() ?? "").slice(0, -1));
    } else if (mark === "+") result.push(rest);
    else {
      const found = lines[at] ?? "";
      if (found !== rest && `${found}\n` !== rest) throw new Error(`${JSON.stringify(found)} is not ${line}`);
      if (mark === " ") result.push(rest);
      at += 1;
    }
    lastMark = mark;
  }
  return [...result, ...lines.slice(at)].join("");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
