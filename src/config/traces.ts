import { endpointUrl } from "./addresses.ts";
import { Secret } from "./secret.ts";
import { type Parser, Problem } from "./values.ts";

/** Names and their values, which may be secret. */
type Pairs = Readonly<Record<string, string>>;

/** Where traces are sent, which, and as whose; see the OpenTelemetry specification, "SDK environment variables". */
export interface TraceSettings {
  readonly collector: {
    /** Where spans are posted. It may hold a secret. */
    readonly url: string;
    /** What is sent with each request. */
    readonly headers: Secret<Pairs>;
  };
  readonly sampling: {
    /** Whether the caller decides about a trace that it brings. */
    readonly isParentBased: boolean;
    /** The share of the others that is recorded, from 0 to 1. */
    readonly ratio: number;
    /** The most in a second: of those that callers bring, and of the others each. */
    readonly perSecond: number;
  };
  /** What the collector is told of this server. */
  readonly resource: Pairs;
}

/** What reads variables, and collects what is wrong with them. */
interface Environment {
  /** One sentence each. */
  readonly problems: string[];
  /** What a variable is set to; null if it is not. */
  variable(name: string): string | null;
}

/** `ratio` is null if another variable says it. */
interface Sampler {
  readonly isParentBased: boolean;
  readonly ratio: number | null;
}

const SAMPLERS: ReadonlyMap<string, Sampler> = new Map([
  ["always_on", { isParentBased: false, ratio: 1 }],
  ["always_off", { isParentBased: false, ratio: 0 }],
  ["traceidratio", { isParentBased: false, ratio: null }],
  ["parentbased_always_on", { isParentBased: true, ratio: 1 }],
  ["parentbased_always_off", { isParentBased: true, ratio: 0 }],
  ["parentbased_traceidratio", { isParentBased: true, ratio: null }],
]);

/** Collectors take JSON wherever they take protobuf over HTTP, which is what most programs are set to. JSON is sent. */
const PROTOCOLS: readonly string[] = ["http/json", "http/protobuf"];

/** What the names and the values of a list may be. */
interface PairRule {
  readonly name: RegExp;
  readonly value: RegExp;
}

/** RFC 9110, 5.1 and 5.5, in ASCII. */
const HEADER: PairRule = { name: /^[!#$%&'*+.^`|~\w-]+$/, value: /^[\t -~]*$/ };
const ATTRIBUTE: PairRule = { name: /^[!-~]+$/, value: /^[^\p{Cc}]*$/u };

/**
 * Reads the variables that other programs have for traces too. Null if none are to be sent: then nothing else is read.
 * What is wrong becomes a problem, which quotes neither addresses nor headers.
 *
 * @param perSecond how many traces are recorded in a second
 */
export function traceSettings(env: Environment, perSecond: number): TraceSettings | null {
  const own = env.variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const all = env.variable("OTEL_EXPORTER_OTLP_ENDPOINT");
  const isOff =
    env.variable("OTEL_SDK_DISABLED")?.toLowerCase() === "true" ||
    env.variable("OTEL_TRACES_EXPORTER") === "none";
  if (isOff || (own ?? all) === null) return null;
  const reading = new Reading(env);
  const url = own === null ? urlForAll(reading) : urlForTraces(reading);
  for (const name of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"])
    reading.read(name, knownProtocol);
  const headers = {
    ...reading.read("OTEL_EXPORTER_OTLP_HEADERS", listOfPairs(HEADER), true),
    ...reading.read("OTEL_EXPORTER_OTLP_TRACES_HEADERS", listOfPairs(HEADER), true),
  };
  const attributes = reading.read("OTEL_RESOURCE_ATTRIBUTES", listOfPairs(ATTRIBUTE));
  const name = env.variable("OTEL_SERVICE_NAME");
  const sampling = { ...readSampling(reading), perSecond };
  if (url === null) return null;
  return {
    collector: { url, headers: new Secret(headers) },
    sampling,
    resource: {
      "service.name": "coffer",
      ...attributes,
      ...(name === null ? {} : { "service.name": name }),
    },
  };
}

function urlForTraces(reading: Reading): string | null {
  return reading.read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", endpointUrl, true);
}

function urlForAll(reading: Reading): string | null {
  const url = reading.read("OTEL_EXPORTER_OTLP_ENDPOINT", endpointUrl, true);
  return url === null ? null : `${url.replace(/\/+$/, "")}/v1/traces`;
}

function readSampling(reading: Reading) {
  const { isParentBased, ratio } = reading.read("OTEL_TRACES_SAMPLER", knownSampler) ?? {
    isParentBased: true,
    ratio: 1,
  };
  const share = ratio ?? reading.read("OTEL_TRACES_SAMPLER_ARG", share0to1) ?? 1;
  return { isParentBased, ratio: share };
}

/** Reads single variables. */
class Reading {
  readonly #env: Environment;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** The value; null if it is not given, or wrong. If wrong, adds a problem. */
  read<T>(name: string, parse: Parser<T>, mayBeSecret = false): T | null {
    const text = this.#env.variable(name);
    if (text === null) return null;
    const value = parse(text);
    if (!(value instanceof Problem)) return value;
    const shown = mayBeSecret ? "" : ` (${JSON.stringify(text.slice(0, 60))})`;
    this.#env.problems.push(`${name}${shown} ${value.text}. OTEL_SDK_DISABLED=true turns traces off.`);
    return null;
  }
}

function knownProtocol(text: string): string | Problem {
  return PROTOCOLS.includes(text) ? text : new Problem("must be http/json: other protocols are not spoken");
}

function knownSampler(text: string): Sampler | Problem {
  return SAMPLERS.get(text) ?? new Problem(`must be one of ${[...SAMPLERS.keys()].join(", ")}`);
}

function share0to1(text: string): number | Problem {
  const share = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  return share >= 0 && share <= 1 ? share : new Problem("must be a number from 0 to 1");
}

/** A list such as `name=value,name=value`, with values that are percent-encoded (W3C Baggage, without properties). */
function listOfPairs(rule: PairRule): Parser<Pairs> {
  return (text) => {
    const record: Record<string, string> = {};
    for (const pair of text.split(",").filter((part) => part.trim() !== "")) {
      const [, name = "", encoded = ""] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      const value = decoded(encoded);
      if (value === null || !rule.name.test(name) || !rule.value.test(value)) {
        return new Problem(
          "must be a list such as name=value,name=value, with values that are percent-encoded",
        );
      }
      record[name] = value;
    }
    return record;
  };
}

/** Null for what is not percent-encoded UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
