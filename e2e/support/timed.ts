/** How long something took of the time in which this machine ran. A hypervisor that takes its CPUs away for a second or
 * two stops everything here at once, this process too: its timer then comes late by as much. */

const TICK_MS = 20;
/** A timer that is late by more was not late by chance of the scheduler. */
const LATE_MS = 100;

export async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; awakeMs: number }> {
  const began = performance.now();
  let last = began;
  let paused = 0;
  const look = () => {
    const late = performance.now() - last - TICK_MS;
    if (late > LATE_MS) paused += late;
    last = performance.now();
  };
  const ticks = setInterval(look, TICK_MS);
  try {
    const answer = await work();
    look();
    return { answer, awakeMs: performance.now() - began - paused };
  } finally {
    clearInterval(ticks);
  }
}
