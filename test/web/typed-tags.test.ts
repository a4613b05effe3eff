import { expect, test } from "bun:test";
import { tagsOf } from "../../web/lib/words/typed-tags.ts";

test.each<[text: string, tags: readonly string[]]>([
  ["", []],
  [" , ,", []],
  ["draft", ["draft"]],
  ["draft, 2030 ", ["draft", "2030"]],
  [",a", ["a"]],
  ["home sweet,a", ["home sweet", "a"]],
  ['"Paris, France"', ["Paris, France"]],
  ['a , "Paris, France" ,b', ["a", "Paris, France", "b"]],
  ['"5"" disk, old"', ['5" disk, old']],
  ['5" disk, old', ['5" disk', "old"]],
  ['"a"b, c', ['"a"b', "c"]],
  ['"Paris, France', ['"Paris', "France"]],
  ['""', ['""']],
])("the tags in %j", (text, tags) => {
  expect(tagsOf(text)).toEqual([...tags]);
});
