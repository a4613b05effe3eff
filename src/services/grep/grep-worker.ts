import { answerCalls } from "../../process/answer-calls.ts";
import { GrepWork } from "./grep-work.ts";

// The entry point of a thread that searches lines.

answerCalls(new GrepWork());
