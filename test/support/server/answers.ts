import { expect } from "bun:test";
import type { Answer } from "./client.ts";
import { expectCommonRules, expectJson } from "./scenario.ts";
import { type Code, refused } from "./steps.ts";

/** The answer must be this refusal and, where one is at fault, name its field. */
export function expectRefused(answer: Answer, code: Code, field?: string): void {
  const { status, json } = refused(code, field);
  expectStatus(answer, status);
  expectJson(answer.text, json);
}

/** An answer's `data`, of a request that succeeded with `status`. */
export function dataOf(answer: Answer, status = 200): unknown {
  expectStatus(answer, status);
  const { data }: { data: unknown } = JSON.parse(answer.text);
  return data;
}

function expectStatus(answer: Answer, status: number): void {
  expect([answer.status, answer.status === status ? "" : answer.text]).toEqual([status, ""]);
  expectCommonRules("GET", answer);
}

/** How many of these answers have each status. */
export function tally(answers: readonly Pick<Answer, "status">[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
