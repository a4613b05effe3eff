import { describe, expect, test } from "bun:test";
import { parseJsonLines } from "../../web/lib/contents/json-lines.ts";
import { jsonRows, openAtFirst } from "../../web/lib/contents/json-rows.ts";
import { type JsonNode, parseJson } from "../../web/lib/contents/json.ts";

/** A text as the nodes say it, without the space around its values. */
function written({ text, children }: JsonNode): string {
  if (children === null) return text;
  const inner = children
    .map((child) => (child.name === null ? "" : `${child.name}:`) + written(child))
    .join();
  return text.startsWith("{") ? `{${inner}}` : `[${inner}]`;
}

function read(text: string): JsonNode {
  const root = parseJson(text);
  if (root === null) throw new Error(`not read: ${text}`);
  return root;
}

describe("JSON", () => {
  test.each([
    '{"id":12345678901234567890,"a":[1,{}],"s":"{,}:"}',
    '{"":"","a":{"a":{"b":null,"a":true}},"a":[[],[[]]]}',
    '"a \\" b \\\\"',
    "-1.50e+10",
    "[]",
  ])("%s is read as it is written", (text) => {
    expect(written(read(text))).toBe(text);
    expect(written(read(text.replaceAll(/([[\]{},])(?=[^"]*(?:"[^"]*"[^"]*)*$)/g, " $1\n")))).toBe(text);
  });

  test("the text of an object or array is its source", () => {
    expect(read('{"a": [1, {"b" : 2}]}').children?.[0]).toMatchObject({
      name: '"a"',
      text: '[1, {"b" : 2}]',
    });
  });

  test.each([
    ["that is none", "{nope"],
    ["with something behind it", "{} {}"],
    ["of nothing", ""],
    ["that is too deep", "[".repeat(101) + "]".repeat(101)],
    ["deeper than the stack", "[".repeat(100_000) + "]".repeat(100_000)],
    ["of too many values", `[${"0,".repeat(400_000)}0]`],
  ])("a text %s is not read", (_, text) => {
    expect(parseJson(text)).toBeNull();
  });
});

/** What the rows say: their depth, their value and, of what can be opened, whether it is. */
function said(root: JsonNode, folds = openAtFirst(root)): string[] {
  return jsonRows(root, folds).map((row) => {
    if (row.kind === "more") return `${row.depth} ${row.left} more`;
    return `${row.depth} ${row.node.name ?? "-"} ${row.isOpen ?? row.node.text} ${row.position}/${row.size}`;
  });
}

describe("the rows of JSON", () => {
  test("are those that are open, and small ones are from the start", () => {
    const root = read('{"a":[1,{}],"b":{"c":"d"}}');
    const all = [
      "1 - true 1/1",
      '2 "a" true 1/2',
      "3 - 1 1/2",
      "3 - {} 2/2",
      '2 "b" true 2/2',
      '3 "c" "d" 1/1',
    ];
    expect(said(root)).toEqual(all);
    expect(said(root, { open: new Set([""]), shown: new Map() })).toEqual([
      "1 - true 1/1",
      '2 "a" false 1/2',
      '2 "b" false 2/2',
    ]);
    expect(said(root, { open: new Set(), shown: new Map() })).toEqual(["1 - false 1/1"]);
  });

  test("of what is long are its first, until more are asked for", () => {
    const root = read(`[${Array.from({ length: 250 }, (_, at) => `[${at}]`).join()}]`);
    const rows = said(root);
    expect(rows.length).toBeLessThan(160);
    expect(rows.slice(0, 3)).toEqual(["1 - true 1/1", "2 - true 1/250", "3 - 0 1/1"]);
    expect(rows.at(-1)).toBe("2 150 more");
    const { open } = openAtFirst(root);
    expect(said(root, { open, shown: new Map([["", 200]]) }).at(-1)).toBe("2 50 more");
    expect(said(root, { open, shown: new Map([["", 300]]) }).at(-1)).toBe("2 - false 250/250");
  });

  test("stay open where the text changes", () => {
    const { open } = openAtFirst(read('{"a":[1],"b":[[2]]}'));
    expect(said(read('{"a":[1,3],"b":[4]}'), { open, shown: new Map() })).toEqual([
      "1 - true 1/1",
      '2 "a" true 1/2',
      "3 - 1 1/2",
      "3 - 3 2/2",
      '2 "b" true 2/2',
      "3 - 4 1/1",
    ]);
  });

  test("have keys of their own", () => {
    const root = read('{"a":{"a":[1,2]},"a":[[1]]}');
    const keys = jsonRows(root, openAtFirst(root)).map(({ key }) => key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("JSON lines", () => {
  test("are a table of the members of all", () => {
    const text = '{"a":1,"b":"x\\ny"}\r\n\n{"b":{"c":[1, 2]},"d":12345678901234567890}\n[3]\nnull\n';
    expect(parseJsonLines(text, 10, 10)).toEqual({
      rows: [
        ["a", "b", "d", "value"],
        ["1", "x\ny", "", ""],
        ["", '{"c":[1, 2]}', "12345678901234567890", ""],
        ["", "", "", "[3]"],
        ["", "", "", "null"],
      ],
      isCut: false,
    });
  });

  test("are as many as are asked for, with as many columns and one", () => {
    const text = Array.from({ length: 30 }, (_, at) => `{"n${at}":0,"same":1}`).join("\n");
    const table = parseJsonLines(text, 20, 5);
    expect(table?.isCut).toBe(true);
    expect(table?.rows).toHaveLength(21);
    expect(table?.rows[0]).toEqual(["n0", "same", "n1", "n2", "n3", "n4"]);
    expect(parseJsonLines(text, 30, 5)?.isCut).toBe(false);
  });

  test("with anything else among them are no table", () => {
    expect(parseJsonLines('{"a":1}\nnope\n', 10, 10)).toBeNull();
    expect(parseJsonLines('{"__proto__":1}', 10, 10)?.rows).toEqual([["__proto__"], ["1"]]);
  });
});
