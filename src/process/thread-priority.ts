import { existsSync, readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** The running thread, as a link to `<process>/task/<thread>`. Only Linux has it, and a priority for each thread. */
const THREAD = "/proc/thread-self";

/** On a scale from -20 to 19. At 5 a thread has a quarter of the time where others want as much as they can get. */
const BACKGROUND = 5;

/** Lets all other threads go first where the processor is busy. For a thread whose work nobody waits for. */
export function giveWay(): void {
  if (!existsSync(THREAD)) return;
  const thread = Number(readlinkSync(THREAD).split("/").at(-1));
  try {
    // If the whole process gives way more, only the administrator may set it back.
    if (getPriority(thread) < BACKGROUND) setPriority(thread, BACKGROUND);
  } catch {
    // A sandbox may forbid it. All threads are equal then.
  }
}
