/** Controls, what is not shown or turns the direction of text, and what some readers take for the end of a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A value as one line of JSON, whatever the texts in it are. */
export function jsonLine(record: object): string {
  return plainLine(JSON.stringify(record));
}

/** A text in which each character that would not show, or would end the line, is an escape as in JSON. */
export function plainLine(text: string): string {
  return text.replaceAll(HIDDEN, (character) =>
    Array.from({ length: character.length }, (_, at) => escape(character.charCodeAt(at))).join(""),
  );
}

function escape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
