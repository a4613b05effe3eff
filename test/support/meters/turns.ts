/** How many turns others have during some work. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOn] = [0, true];
  const look = () => {
    turns += 1;
    if (isOn) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOn = false;
  return turns;
}
