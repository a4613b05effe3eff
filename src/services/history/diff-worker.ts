import { answerCalls } from "../../process/answer-calls.ts";
import { diffOf } from "./diff-request.ts";

// The entry point of a thread that compares texts.

answerCalls({ compare: diffOf });
