export function httpDate(instant: number): string {
  return new Date(instant).toUTCString();
}

// Date.parse alone would accept texts that are not HTTP dates, such as "1".
const HTTP_DATE = /^[A-Za-z]{3,9},? .*\d{2}:\d{2}:\d{2}.* GMT$/;
/** The one format without a zone (RFC 9110, section 5.6.7); Date.parse would take the server's own. */
const ASCTIME = /^[A-Za-z]{3} [A-Za-z]{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** An HTTP date in whole seconds since the epoch; null for none or a malformed one, which must be ignored. */
export function parseHttpDate(text: string | null): number | null {
  const date = text !== null && ASCTIME.test(text) ? `${text} GMT` : text;
  const instant = date !== null && HTTP_DATE.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.floor(instant / 1000);
}
