import type { Answer, Client } from "../server/client.ts";
import { isObject, type JsonObject, SchemaChecker } from "./json-schema.ts";

/** One operation of the API description. */
export interface DescribedOperation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** With `{name}` for its parameters. */
  readonly path: string;
  /** Names of its parameters, by place. */
  readonly parameters: Readonly<Record<"path" | "query" | "header", readonly string[]>>;
  readonly hasBody: boolean;
  /** Whether a key or a session is needed. */
  readonly isGuarded: boolean;
  /** The described statuses below 400. */
  readonly successes: readonly number[];
  /** The described error codes. */
  readonly codes: readonly string[];
}

/** A request body of an operation. */
export interface DescribedBody {
  readonly type: string;
  /** Undefined if there is none. */
  readonly example: unknown;
  /** Fields of the example that may be omitted. */
  readonly optional: readonly string[];
  /** Fields that are files in a form. */
  readonly files: readonly string[];
}

/** A parameter of an operation. */
export interface DescribedParameter {
  readonly name: string;
  readonly place: "path" | "query" | "header";
  readonly isRequired: boolean;
  readonly schema: JsonObject;
}

/** Headers that HTTP itself, or the runtime, adds to a response. */
const TRANSPORT_HEADERS = new Set([
  "content-type",
  "content-length",
  "date",
  "transfer-encoding",
  "connection",
]);

/** The API description that an appliance serves, and checks of responses against it. */
export class Description {
  readonly document: JsonObject;
  readonly operations: readonly DescribedOperation[];
  readonly #checker: SchemaChecker;
  readonly #specs = new Map<string, JsonObject>();

  constructor(document: JsonObject) {
    this.document = document;
    this.#checker = new SchemaChecker(document);
    this.operations = entries(document["paths"]).flatMap(([path, methods]) =>
      entries(methods).map(([method, spec]) => this.#read(method.toUpperCase(), path, spec)),
    );
  }

  static async of(client: Client): Promise<Description> {
    return new Description(await client.get<JsonObject>("/docs/openapi.json"));
  }

  operation(id: string): DescribedOperation {
    const found = this.operations.find((each) => each.id === id);
    if (found === undefined) throw new Error(`the description has no ${id}`);
    return found;
  }

  /** What a response of an operation lacks, or has beyond its description. */
  answerFaults({ id }: DescribedOperation, { status, headers, text }: Answer): string[] {
    const response = this.#responses(id).get(String(status));
    if (response === undefined) return [`${status} is not described`];
    return [...this.#headerFaults(response, headers), ...this.#bodyFaults(response, headers, text)];
  }

  /** What a JSON body lacks, or has beyond its description. */
  requestFaults({ id }: DescribedOperation, body: JsonObject): string[] {
    const media = new Map(this.#bodies(id)).get("application/json");
    return this.#checker.faults(media?.["schema"], body, "body");
  }

  /** The request bodies of an operation, one for each media type. */
  requestBodies({ id }: DescribedOperation): DescribedBody[] {
    return this.#bodies(id).map(([type, { schema, example }]) => {
      const { required, properties = {} } = this.#checker.resolve(schema);
      const given = isObject(example) ? Object.keys(example) : [];
      const files = entries(properties).filter(([, property]) => property["format"] === "binary");
      return {
        type,
        example,
        optional: given.filter((name) => !items(required).includes(name)),
        files: files.map(([name]) => name),
      };
    });
  }

  /** The parameters of an operation, with their schemas. */
  parameters({ id }: DescribedOperation): DescribedParameter[] {
    return this.#parameters(id).flatMap(({ name, in: place, required, schema }) =>
      place === "path" || place === "query" || place === "header"
        ? [{ name: String(name), place, isRequired: required === true, schema: this.resolve(schema) }]
        : [],
    );
  }

  /** The schemas of an operation's request bodies, by media type; empty without a body. */
  bodySchemas({ id }: DescribedOperation): [type: string, schema: JsonObject][] {
    return this.#bodies(id).map(([type, { schema }]) => [type, this.resolve(schema)]);
  }

  /** The node, or the target of its `$ref`. */
  resolve(node: unknown): JsonObject {
    return this.#checker.resolve(node);
  }

  /** The required query parameters of an operation, each with its first example. */
  exampleQuery(operation: DescribedOperation): Record<string, string> {
    const needed = this.parameters(operation).filter(
      ({ place, isRequired }) => place === "query" && isRequired,
    );
    return Object.fromEntries(needed.map(({ name, schema }) => [name, String(items(schema["examples"])[0])]));
  }

  /** Every example and default in the document that its own schema refuses. */
  exampleFaults(): string[] {
    const faults: string[] = [];
    const visit = (node: unknown, at: string): void => {
      if (Array.isArray(node)) return node.forEach((each, index) => visit(each, `${at}/${index}`));
      if (!isObject(node)) return;
      const schema = node["schema"] ?? node;
      const named = entries(isObject(node["examples"]) ? node["examples"] : {});
      const examples = [
        ...("example" in node ? [node["example"]] : []),
        ...named.map(([, { value }]) => value),
        ...(Array.isArray(node["examples"]) ? node["examples"] : []),
        ...("default" in node && !at.endsWith("/responses") ? [node["default"]] : []),
      ];
      for (const example of examples) faults.push(...this.#checker.faults(schema, example, at));
      for (const [key, each] of Object.entries(node)) {
        if (!["example", "examples", "default"].includes(key) || at.endsWith("/responses")) {
          visit(each, `${at}/${key}`);
        }
      }
    };
    visit(this.document, "");
    return faults;
  }

  #read(method: string, path: string, spec: JsonObject): DescribedOperation {
    const id = String(spec["operationId"]);
    if (this.#specs.has(id)) throw new Error(`two operations are called ${id}`);
    this.#specs.set(id, spec);
    const parameters = this.#parameters(id);
    const named = (place: string) =>
      parameters.filter((each) => each["in"] === place).map((each) => String(each["name"]));
    const responses = [...this.#responses(id)];
    return {
      id,
      method,
      path,
      parameters: { path: named("path"), query: named("query"), header: named("header") },
      hasBody: spec["requestBody"] !== undefined,
      isGuarded: spec["security"] === undefined,
      successes: responses.map(([status]) => Number(status)).filter((status) => status < 400),
      codes: responses.flatMap(([, response]) => this.#codes(response)),
    };
  }

  #parameters(id: string): JsonObject[] {
    return items(this.#specs.get(id)?.["parameters"]).map((each) => this.#checker.resolve(each));
  }

  /** The bodies of its requests, by media type; empty without one. */
  #bodies(id: string): [type: string, media: JsonObject][] {
    const request = this.#specs.get(id)?.["requestBody"];
    return request === undefined ? [] : entries(this.#checker.resolve(request)["content"]);
  }

  #responses(id: string): Map<string, JsonObject> {
    const responses = entries(this.#specs.get(id)?.["responses"]);
    return new Map(responses.map(([status, response]) => [status, this.#checker.resolve(response)]));
  }

  #media(response: JsonObject): Map<string, JsonObject> {
    return new Map(entries(response["content"] ?? {}));
  }

  /** An error response has an example for each of its codes, by code. */
  #codes(response: JsonObject): string[] {
    return entries(this.#media(response).get("application/json")?.["examples"] ?? {}).map(([code]) => code);
  }

  #headerFaults(response: JsonObject, headers: Headers): string[] {
    const described = new Map(
      entries(response["headers"] ?? {}).map(([name, header]) => [
        name.toLowerCase(),
        this.#checker.resolve(header),
      ]),
    );
    const faults = [...described].flatMap(([name, { required, schema }]) => {
      const text = headers.get(name);
      if (text === null) return required === true ? [`the header ${name} is missing`] : [];
      const isInteger = this.#checker.resolve(schema)["type"] === "integer";
      return this.#checker.faults(schema, isInteger && /^\d+$/.test(text) ? Number(text) : text, name);
    });
    for (const name of headers.keys()) {
      if (!described.has(name) && !TRANSPORT_HEADERS.has(name)) {
        faults.push(`the header ${name} is not described`);
      }
    }
    return faults;
  }

  #bodyFaults(response: JsonObject, headers: Headers, text: string): string[] {
    const media = this.#media(response);
    const type = headers.get("content-type")?.split(";")[0] ?? "";
    if (media.size === 0) return text === "" ? [] : ["a body is not described"];
    const { schema } = media.get(type) ?? media.get("*/*") ?? {};
    if (schema === undefined) return [`the type ${type} is not described`];
    const isJson = media.has("application/json") && type === "application/json";
    const value: unknown = isJson ? JSON.parse(text) : text;
    const codes = this.#codes(response);
    const code = isObject(value) && isObject(value["error"]) ? value["error"]["code"] : undefined;
    // Numbers are those of JSON-RPC.
    const isStranger = typeof code === "string" && !codes.includes(code);
    return [
      ...this.#checker.faults(schema, value),
      ...(isStranger ? [`the code ${code} is not described`] : []),
    ];
  }
}

function entries(node: unknown): [string, JsonObject][] {
  if (!isObject(node)) throw new Error(`no object: ${JSON.stringify(node)}`);
  return Object.entries(node).flatMap(([key, value]) => (isObject(value) ? [[key, value]] : []));
}

function items(node: unknown): readonly unknown[] {
  return Array.isArray(node) ? node : [];
}
