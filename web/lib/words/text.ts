import { signal } from "@preact/signals-core";
import type { Language } from "../../../src/domain/accounts/language.ts";
import type german from "../../messages/de.json";

/**
 * A text of the dashboard, in English, as it is written where it is shown. `{name}` stands for a value. What is before
 * a `|` is not shown: it tells apart what is one word in English only (`verb|Open`).
 */
export type Message = { [Text in Entry]: (typeof german)[Text] extends string ? Text : never }[Entry];

/** A message without values, as tables have them. */
export type PlainMessage = { [Text in Message]: [NamesIn<Text>] extends [never] ? Text : never }[Message];

/** A text that depends on a number, for all numbers that have no form of their own. */
export type PluralMessage = Exclude<Entry, Message>;

type Entry = keyof typeof german;

/** What a language has for the messages: every one that German has. Forms of a number are named as by `Intl.PluralRules`. */
export type Catalogue = Readonly<Record<Message, string> & Record<PluralMessage, PluralForms>>;

export type PluralForms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string };

/** The language that is shown, and what it says. English is in the code, and needs no catalogue. */
interface Shown {
  readonly language: Language;
  /** How numbers and times are written: a BCP 47 tag, such as `de-AT`. Undefined for the browser's own way. */
  readonly locale: string | undefined;
  readonly catalogue: Partial<Catalogue>;
  readonly plurals: Intl.PluralRules;
  readonly numbers: Intl.NumberFormat;
}

type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The values that a message needs, by their names in it. */
type Values<Text extends string, Value, Known extends string = never> = [
  Exclude<NamesIn<Text>, Known>,
] extends [never]
  ? []
  : [values: Readonly<Record<Exclude<NamesIn<Text>, Known>, Value>>];

const shown = signal<Shown>(inLanguage("en", {}));

/** The language that is shown. A component that asks is rendered again in the next one, as after `t()`. */
export function shownLanguage(): Language {
  return shown.value.language;
}

/** How numbers and times are written in the language that is shown, for `Intl`. */
export function shownLocale(): string | undefined {
  return shown.value.locale;
}

/** Shows all in this language from now on. @param locale how numbers and times are written; default: as it does itself */
export function showCatalogue(language: Language, catalogue: Partial<Catalogue>, locale?: string): void {
  shown.value = inLanguage(language, catalogue, locale);
}

/**
 * A text in the language that is shown. Numbers are written as they are there.
 *
 * Called while something is drawn, never when a module is loaded: the language is not known then.
 */
export function t<Text extends Message>(message: Text, ...[values]: Values<Text, string | number>): string {
  return filled(said(message), values ?? {}).join("");
}

/** A text that has a form for one and another for more. `{count}` in it is `count`. Otherwise as `t()`. */
export function plural<One extends string, Other extends PluralMessage>(
  count: number,
  one: One,
  other: Other,
  ...[values]: Values<One | Other, string | number, "count">
): string {
  return filled(saidOf(count, one, other), { ...values, count }).join("");
}

/** A text whose values may be elements: `rich("Made by {who}", { who: <By .../> })`. */
export function rich<Text extends Message, Given extends Readonly<Record<NamesIn<Text>, unknown>>>(
  message: Text,
  values: Given,
): (Given[keyof Given] | string)[];
export function rich(message: Message, values: Readonly<Record<string, unknown>>): unknown[] {
  return filled(said(message), values);
}

/** Names a message that is shown elsewhere, by `t()`: for tables of them. */
export function mark<Text extends Message>(message: Text): Text {
  return message;
}

function inLanguage(language: Language, catalogue: Partial<Catalogue>, wished?: string): Shown {
  const locale = wished ?? (language === "en" ? undefined : language);
  return {
    language,
    locale,
    catalogue,
    plurals: new Intl.PluralRules(language),
    numbers: new Intl.NumberFormat(locale),
  };
}

function said(message: Message): string {
  return shown.value.catalogue[message] ?? inEnglish(message);
}

function saidOf(count: number, one: string, other: PluralMessage): string {
  const { catalogue, plurals } = shown.value;
  const forms = catalogue[other];
  if (forms === undefined) return inEnglish(count === 1 ? one : other);
  return forms[plurals.select(count)] ?? forms.other;
}

/** A message without what tells it apart. */
function inEnglish(message: string): string {
  return message.slice(message.indexOf("|") + 1);
}

/** The parts of a text, with values in the place of their names. */
function filled<Value>(text: string, values: Readonly<Record<string, Value>>): (Value | string)[] {
  return text.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part;
    const value = values[part];
    if (value === undefined) throw new Error(`a message has no value for ${part}`);
    return typeof value === "number" ? shown.value.numbers.format(value) : value;
  });
}
