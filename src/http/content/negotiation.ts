/** Whether an Accept-Encoding header accepts gzip (RFC 9110, 12.5.3); without one nothing is compressed. */
export function acceptsGzip(header: string | null): boolean {
  const weightOf = weightsIn(header);
  return weightOf("gzip", weightOf("*")) > 0;
}

/** Whether an Accept header (RFC 9110, 12.5.1) names HTML, as only browsers do, and likes no Markdown as much. */
export function wantsPage(header: string | null): boolean {
  const weightOf = weightsIn(header);
  return weightOf("text/html") > weightOf("text/markdown");
}

/** Whether an Accept header names JSON, and likes no text as much. */
export function wantsJson(header: string | null): boolean {
  const weightOf = weightsIn(header);
  return weightOf("application/json") > Math.max(weightOf("text/plain"), weightOf("text/markdown"));
}

/** Whether an Accept header asks for a stream of events, and does not like JSON as much. */
export function wantsEvents(header: string | null): boolean {
  const weightOf = weightsIn(header);
  return weightOf("text/event-stream") > weightOf("application/json");
}

/** Whether an Accept header asks for lines of JSON, by any of their names, and does not like JSON as much. */
export function wantsLines(header: string | null): boolean {
  const weightOf = weightsIn(header);
  const lines = ["ndjson", "x-ndjson", "jsonl"].map((type) => weightOf(`application/${type}`));
  return Math.max(...lines) > weightOf("application/json");
}

/** Whether an Accept header likes OpenMetrics at least as much as the text that Prometheus had before. */
export function wantsOpenMetrics(header: string | null): boolean {
  const weightOf = weightsIn(header);
  const weight = weightOf("application/openmetrics-text");
  return weight > 0 && weight >= weightOf("text/plain");
}

/** Makes what tells the weights of a header's items, in lower case; `other` for one that is not named. */
function weightsIn(header: string | null) {
  const weights = new Map<string, number>();
  for (const item of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (name: string, other = 0) => weights.get(name) ?? other;
}
