/** One value of `/metrics`. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** Reads Prometheus' text format, as far as this server writes it. */
export function parseMetrics(text: string): Series[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    return name === undefined ? [] : [{ name, labels: labelsIn(labels), value: Number(value) }];
  });
}

function labelsIn(text: string): Record<string, string> {
  const found = Array.from(text.matchAll(LABEL), ([, name = "", value = ""]) => [name, unescaped(value)]);
  return Object.fromEntries(found);
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, mark: string) => (mark === "n" ? "\n" : mark));
}
