import { join } from "node:path";
import { freePort, untilItAnswers } from "../server/executable.ts";
import { temporaryDirectory } from "../server/temporary-directory.ts";

/** Why tests that need a Prometheus are skipped; empty where it is. */
export const NO_PROMETHEUS = Bun.which("prometheus") === null ? "prometheus not installed" : "";

/** How to run one. */
interface PrometheusOptions {
  /** Where the server is: `127.0.0.1:2633`. */
  readonly target: string;
  /** The text of a file of rules. */
  readonly rules: string;
}

/** The answer to a query. */
interface QueryAnswer {
  readonly status: "success" | "error";
  readonly error?: string;
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly value: readonly [number, string];
    }[];
  };
}

/** A rule, as it was last evaluated. */
interface EvaluatedRule {
  readonly name: string;
  /** `ok`, `err`, or `unknown` before the first time. */
  readonly health: string;
  readonly lastError?: string;
  readonly state: string;
}

/** A Prometheus that asks a Coffer for its metrics every 100 ms. */
export class Prometheus implements AsyncDisposable {
  readonly #child: Bun.Subprocess;
  readonly #url: string;
  readonly #directory: AsyncDisposable;

  private constructor(child: Bun.Subprocess, url: string, directory: AsyncDisposable) {
    this.#child = child;
    this.#url = url;
    this.#directory = directory;
  }

  static async start({ target, rules }: PrometheusOptions): Promise<Prometheus> {
    const directory = await temporaryDirectory();
    const config = {
      global: { scrape_interval: "100ms", scrape_timeout: "100ms", evaluation_interval: "200ms" },
      rule_files: ["rules.yml"],
      // JSON is YAML as well.
      scrape_configs: [{ job_name: "coffer", static_configs: [{ targets: [target] }] }],
    };
    await Bun.write(join(directory.path, "rules.yml"), rules);
    await Bun.write(join(directory.path, "prometheus.yml"), JSON.stringify(config));
    const address = `127.0.0.1:${freePort()}`;
    const child = Bun.spawn(
      [
        "prometheus",
        "--config.file=prometheus.yml",
        "--storage.tsdb.path=data",
        `--web.listen-address=${address}`,
      ],
      { cwd: directory.path, stdout: "ignore", stderr: "pipe" },
    );
    const url = `http://${address}`;
    if (await untilItAnswers(child, `${url}/-/ready`, 20)) return new Prometheus(child, url, directory);
    await directory[Symbol.asyncDispose]();
    throw new Error(`prometheus ended: ${await child.stderr.text()}`);
  }

  /** The values of an expression now, by their labels as JSON. Throws what is wrong with it. */
  async query(expression: string): Promise<ReadonlyMap<string, number>> {
    const { data, error } = await this.#get<QueryAnswer>(`query?query=${encodeURIComponent(expression)}`);
    if (data === undefined) throw new Error(`${expression}: ${error}`);
    return new Map(
      data.result.map(({ metric, value: [, text] }) => [JSON.stringify(metric), Number(text)] as const),
    );
  }

  /** All rules. */
  async rules(): Promise<readonly EvaluatedRule[]> {
    interface Answer {
      readonly data: { readonly groups: readonly { readonly rules: readonly EvaluatedRule[] }[] };
    }
    return (await this.#get<Answer>("rules")).data.groups.flatMap(({ rules }) => rules);
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${path}`);
    const answer: T = JSON.parse(await response.text());
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
    await this.#directory[Symbol.asyncDispose]();
  }
}
