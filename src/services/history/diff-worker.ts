import { answerCalls } from "../../process/answer-calls.ts";
import { diffOf, type DiffRequest } from "./diff-request.ts";

// The entry point of a thread that compares texts.

const calls = { compare: (request: DiffRequest) => diffOf(request) };

export type DiffCalls = typeof calls;

answerCalls(calls);
