import { answerCalls, giveWay } from "../../process/answer-calls.ts";
import { IndexWork } from "./index-work.ts";

// The entry point of the thread that writes the full-text index. Jobs stay until the index has them, so what fails is
// redone.

// With each upload it has as much to do as the main thread.
giveWay();
answerCalls(new IndexWork());
