import { describe, expect, test } from "bun:test";
import {
  counter,
  each,
  type Family,
  gauge,
  histogram,
  info,
  linesOf,
} from "../../../src/http/metrics/family.ts";
import { Histogram } from "../../../src/process/histogram.ts";

function text(family: Family): { prometheus: string[]; openMetrics: string[] } {
  const lines = (isOpenMetrics: boolean) =>
    [...linesOf(family, isOpenMetrics)].join("").trimEnd().split("\n");
  return { prometheus: lines(false), openMetrics: lines(true) };
}

describe("a family", () => {
  test("that counts is named with _total where Prometheus wants it", () => {
    const { prometheus, openMetrics } = text(counter("a_bytes", "Some bytes.", 3));
    expect(prometheus).toEqual([
      "# HELP a_bytes_total Some bytes.",
      "# TYPE a_bytes_total counter",
      "a_bytes_total 3",
    ]);
    expect(openMetrics).toEqual(["# HELP a_bytes Some bytes.", "# TYPE a_bytes counter", "a_bytes_total 3"]);
  });

  test("of facts is a gauge for those that know nothing else", () => {
    const { prometheus, openMetrics } = text(info("a_build", "A version.", { version: "1" }));
    expect(prometheus.slice(1)).toEqual(["# TYPE a_build_info gauge", 'a_build_info{version="1"} 1']);
    expect(openMetrics.slice(1)).toEqual(["# TYPE a_build info", 'a_build_info{version="1"} 1']);
  });

  test("has all buckets, each with those below it", () => {
    const values = new Histogram([0.5, 1, 10]);
    for (const value of [0, 0.5, 0.6, 10, 11, 1000]) values.observe(value);
    const { prometheus, openMetrics } = text(histogram("a_seconds", "Some time.", [[values, { of: "b" }]]));
    expect(prometheus).toEqual([
      "# HELP a_seconds Some time.",
      "# TYPE a_seconds histogram",
      'a_seconds_bucket{of="b",le="0.5"} 2',
      'a_seconds_bucket{of="b",le="1"} 3',
      'a_seconds_bucket{of="b",le="10"} 4',
      'a_seconds_bucket{of="b",le="+Inf"} 6',
      'a_seconds_sum{of="b"} 1022.1',
      'a_seconds_count{of="b"} 6',
    ]);
    expect(openMetrics.filter((line) => /le="10?\./.test(line))).toEqual([
      'a_seconds_bucket{of="b",le="1.0"} 3',
      'a_seconds_bucket{of="b",le="10.0"} 4',
    ]);
  });

  test("without a value has no line but those that describe it", () => {
    expect(text(gauge("a_gauge", "Nothing.", null)).prometheus).toEqual([
      "# HELP a_gauge Nothing.",
      "# TYPE a_gauge gauge",
    ]);
  });

  test("keeps what is in a label from ending it", () => {
    const disks = each("disk", { 'a"} 1\n b\\': 0, '日本{},="': 1 });
    expect(text(gauge("a_disk", "A disk.", disks)).prometheus.slice(2)).toEqual([
      'a_disk{disk="a\\"} 1\\n b\\\\"} 0',
      'a_disk{disk="日本{},=\\""} 1',
    ]);
  });
});
