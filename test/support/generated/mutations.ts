import type { Json } from "../server/client.ts";
import { hostileText, hostileValue, ODD_NUMBERS } from "./hostile.ts";
import type { Random } from "../server/random.ts";

/** The value with something in it removed, added or replaced by anything. */
export function mutated(value: Json, random: Random): Json {
  if (Array.isArray(value)) {
    if (random.chance(0.3)) return [...value, hostileValue(random)];
    const at = random.below(value.length + 1);
    return value.map((each, index) => (index === at ? changed(each, random) : each));
  }
  if (typeof value !== "object" || value === null || random.chance(0.05)) return hostileValue(random);
  const names = Object.keys(value);
  if (names.length === 0 || random.chance(0.15))
    return { ...value, [hostileText(random)]: hostileValue(random) };
  const name = random.pick(names);
  const { [name]: old = null, ...rest } = value;
  return random.chance(0.2) ? rest : { ...rest, [name]: changed(old, random) };
}

function changed(value: Json, random: Random): Json {
  return random.chance(0.3) ? mutated(value, random) : hostileValue(random);
}

/** The JSON of a value; now and then spelled oddly, or broken. */
export function spelled(value: Json, random: Random): string | Buffer<ArrayBuffer> {
  const text = JSON.stringify(value);
  if (random.chance(0.85)) return text;
  const at = random.below(text.length + 1);
  const broken: readonly (() => string | Buffer<ArrayBuffer>)[] = [
    () => text.slice(0, at),
    () => `${text.slice(0, at)}${hostileText(random)}${text.slice(at)}`,
    () => `\ufeff${text}`,
    () => `${text}${text}`,
    () => ` \r\n\t${text}\n `,
    () => text.replace(/^\{/, `{"a":1,"a":2,`),
    () => text.replace(/"(\w+)":/, (key) => `${key}1,${key}`),
    () =>
      text.replace(/"(?=[a-z])([a-z])/, (_, first: string) => `"\\u00${first.charCodeAt(0).toString(16)}`),
    () => text.replace(/\d+|null|true|false/, () => random.pick(ODD_NUMBERS)),
    () => text.replaceAll('"', "'"),
    () => text.replace(/\}$/, ",}"),
    () => `${"[".repeat(5000)}${text}`,
    () => `${'{"a":'.repeat(5000)}${text}${"}".repeat(5000)}`,
    () => Buffer.concat([Buffer.from(text.slice(0, at)), random.bytes(3), Buffer.from(text.slice(at))]),
    () => Buffer.from(text, "utf16le"),
    () => random.bytes(random.below(64)),
    () => "",
    () => `${text}${" ".repeat(random.pick([1000, 300_000, 1_100_000]))}`,
  ];
  return random.pick(broken)();
}
