import { expect, test } from "bun:test";
import { strictTransport } from "../../../src/http/gate/strict-transport.ts";

test.each([
  ["https://drive.example.com", "max-age=15552000"],
  // Others may be on this name, and speak plain HTTP.
  ["https://drive.example.com:8443", null],
  ["https://home.example.com/coffer", null],
  ["https://192.0.2.1", null],
  ["https://[2001:db8::1]", null],
  ["https://localhost", null],
  ["https://drive.localhost", null],
  [null, null],
])("a server at %s asks for strict transport: %j", (baseUrl, header) => {
  expect(strictTransport(baseUrl)).toBe(header);
});
