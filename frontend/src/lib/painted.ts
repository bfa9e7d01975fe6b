/** Waiting until the browser has painted what was just pressed. */

/** A hidden page is given no frame, and a busy one its frame late. */
const AT_MOST_MS = 100;

/** Resolves after the next frame, so that what takes long does not hold up what answers a press. */
export function painted(): Promise<void> {
  return new Promise((done) => {
    const late = setTimeout(done, AT_MOST_MS);
    requestAnimationFrame(() => {
      clearTimeout(late);
      setTimeout(done);
    });
  });
}
