import { ERROR_STATUS } from "../gate/errors.ts";
import { IDEMPOTENCY_KEY } from "../../domain/idempotency.ts";
import { ERROR_MEANINGS } from "./components.ts";
import { errorsOf, needsKey, type OperationDetail, type PlacedOperation, TAGS } from "./describe.ts";
import { fieldLists, fieldNames, fieldText, typeText } from "./schema-text.ts";
import intro from "./texts/api.md" with { type: "text" };

/** The API description in Markdown, for models: one line for each operation. */
export function shortForm(operations: readonly PlacedOperation[]): string {
  const tags = new Set([...TAGS.map(({ name }) => name), ...operations.flatMap(({ detail }) => detail.tags)]);
  const groups = Array.from(tags, (name) => ({
    name,
    lines: operations.filter(({ detail }) => detail.tags.includes(name)).map(lineOf),
  })).filter(({ lines }) => lines.length > 0);
  return [intro, ...groups.map(({ name, lines }) => `## ${name}\n\n${lines.join("\n")}\n`)].join("\n");
}

function lineOf(operation: PlacedOperation): string {
  const { method, path, detail } = operation;
  const query = detail.parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required }) => (required ? name : `${name}?`));
  const facts = [
    ...(query.length > 0 ? [` query ${query.join(", ")}`] : []),
    ...(detail.requestBody === undefined ? [] : [` body ${bodyInLine(detail.requestBody)}`]),
  ];
  const open = needsKey(operation) ? "" : " No key.";
  return `- \`${method} ${path}\`${facts.join(";")}: ${detail.summary} (${detail.operationId}).${open}`;
}

function bodyInLine({ content }: NonNullable<OperationDetail["requestBody"]>): string {
  const json = content["application/json"];
  return json === undefined ? "the bytes" : fieldNames(json.schema);
}

export function detailsOf(operation: PlacedOperation): string {
  const { method, path, isKeyed, detail } = operation;
  const codes = [...errorsOf(operation)].toSorted((a, b) => ERROR_STATUS[a] - ERROR_STATUS[b]);
  const parameters = [
    ...detail.parameters.map(({ name, in: place, required, description, schema }) =>
      fieldText(name, description === undefined ? schema : { ...schema, description }, required, place),
    ),
    ...(isKeyed ? [`\`${IDEMPOTENCY_KEY}\` (header, string, optional): Makes a retry safe.`] : []),
  ];
  return [
    `# ${detail.operationId}: ${detail.summary}`,
    `\`${method} ${path}\`${needsKey(operation) ? " needs a key or a session." : " needs no key."}`,
    ...(detail.description === undefined ? [] : [detail.description]),
    ...(parameters.length === 0 ? [] : [`## Parameters`, parameters.map((each) => `- ${each}`).join("\n")]),
    ...Object.entries(detail.requestBody?.content ?? {}).flatMap(([type, media]) => [
      `## Body: ${type}`,
      ...mediaText(media),
    ]),
    ...Object.entries(detail.responses).flatMap(([status, { description, headers = {}, content = {} }]) => [
      `## Response ${status}`,
      description,
      ...listOf(Object.entries(headers).map(([name, header]) => `header \`${name}\`: ${header.description}`)),
      ...Object.entries(content).flatMap(([type, media]) => [`Body, ${type}:`, ...mediaText(media)]),
    ]),
    "## Errors",
    codes.map((code) => `- ${ERROR_STATUS[code]} \`${code}\`: ${ERROR_MEANINGS[code]}`).join("\n"),
  ]
    .join("\n\n")
    .concat("\n");
}

type Media = NonNullable<OperationDetail["requestBody"]>["content"][string];

function mediaText({ schema, example }: Media): string[] {
  const lists = fieldLists(schema);
  const type = typeText(schema);
  const shape = type === "object" ? [] : [lists.length === 0 ? type : `${type}, with these fields:`];
  return [
    ...shape,
    lists.join("\n\nor\n\n"),
    ...(example === undefined ? [] : [`Example:\n\n\`\`\`json\n${JSON.stringify(example)}\n\`\`\``]),
  ].filter((part) => part !== "");
}

function listOf(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [items.map((item) => `- ${item}`).join("\n")];
}
