import { Type } from "@sinclair/typebox";
import { text } from "./schema.ts";

/** A longer value is not repeated in a response. */
const LONGEST = 512;

/** What a response says where a `+` of the query may have been meant as a plus sign. */
export const didYouMean = {
  did_you_mean: Type.Optional(
    text("Only if a `+` in the query, which is a space, may be meant as a plus sign: what to send then."),
  ),
};

/**
 * What a response has if a parameter that finds nothing was sent with a `+`: in a query that is a space (WHATWG URL,
 * section 5.1).
 *
 * @param query as it was sent
 */
export function plusMeant(query: string, ...names: readonly string[]): { did_you_mean?: string } {
  return advice(query, names, /\+/g);
}

/** The same for a path at which something was made: a single `+` in it is a space that was meant. */
export function doublePlusMeant(query: string, ...names: readonly string[]): { did_you_mean?: string } {
  return advice(query, names, /\+{2,}/g);
}

function advice(query: string, names: readonly string[], plus: RegExp): { did_you_mean?: string } {
  if (!query.includes("+")) return {};
  for (const pair of query.split("&")) {
    const equals = pair.indexOf("=");
    const [name, sent] = [pair.slice(0, equals), pair.slice(equals + 1)];
    if (!names.includes(name) || sent.length > LONGEST) continue;
    const meant = sent.replaceAll(plus, (signs) => "%2B".repeat(signs.length));
    if (meant === sent) continue;
    const whole = decodeURIComponent(meant.replaceAll("+", " "));
    return {
      did_you_mean: `In a query, + is a space. If you mean ${JSON.stringify(whole)}, send ${name}=${meant}.`,
    };
  }
  return {};
}
