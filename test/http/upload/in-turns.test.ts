import { expect, test } from "bun:test";
import { readJsonUpload } from "../../../src/http/upload/json.ts";
import { readMultipartUpload } from "../../../src/http/upload/multipart.ts";
import { turnsDuring } from "../../support/meters/turns.ts";

const MEGABYTE = 1_000_000;

const write = async () => {};
const START = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';

test.each([
  ["escapes", `{"text":"${"\\n".repeat(MEGABYTE)}"}`],
  ["escapes of digits", `{"text":"${"\\u0041".repeat(MEGABYTE / 3)}"}`],
  ["base64", `{"content":"${"QUJD".repeat(MEGABYTE / 2)}"}`],
  ["base64 in lines", `{"content":"${"QUJD\\n".repeat(MEGABYTE / 3)}"}`],
  ["a form", `${START}${"\r\n--".repeat(MEGABYTE / 2)}\r\n--b--\r\n`],
])("others have their turn while what has arrived is read: %s", async (_, body) => {
  const chunks = async function* () {
    yield Buffer.from(body);
  };
  const read = () =>
    body.startsWith("{")
      ? readJsonUpload(chunks(), write)
      : readMultipartUpload(chunks(), "multipart/form-data; boundary=b", write);
  expect(await turnsDuring(read)).toBeGreaterThan(10);
});
