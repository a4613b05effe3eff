import { answerCalls, giveWay } from "../../process/answer-calls.ts";
import { EmbeddingWork } from "./embedding-work.ts";

// The entry point of the thread that makes vectors.

giveWay();
answerCalls(new EmbeddingWork());
