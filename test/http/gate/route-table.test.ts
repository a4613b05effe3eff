import { expect, spyOn, test } from "bun:test";
import { createRouteTable } from "../../../src/http/gate/route-table.ts";

test("which methods a written path has is worked out once, and not for each request", () => {
  const path = "/v0/files";
  const each = { path, isPublic: false, isDescribed: true };
  const { requireMethod } = createRouteTable([
    { ...each, method: "PUT" },
    { ...each, method: "GET" },
  ]);
  const sorted = spyOn(Array.prototype, "toSorted");
  try {
    for (const method of ["GET", "HEAD", "PUT"]) requireMethod(method, path);
    requireMethod("DELETE", "/v0/files/by-id");
    expect(() => requireMethod("DELETE", `${path}/`)).toThrow("only GET, HEAD, PUT");
    expect(sorted).not.toHaveBeenCalled();
  } finally {
    sorted.mockRestore();
  }
});
