/** Times and days of the reader, in the words of one language. Made once: to make such a formatter takes as long as a
 * hundred uses of it, and tables and axes say hundreds of times. */

function made(options: Intl.DateTimeFormatOptions): (time: Date) => string {
  const format = new Intl.DateTimeFormat("en-GB", options);
  return (time) => format.format(time);
}

const [hour, minute, second] = ["2-digit", "2-digit", "2-digit"] as const;

/** "14:10:30" */
export const clockSeconds = made({ hour, minute, second });
/** "14:10" */
export const clockMinutes = made({ hour, minute });
/** "25 Nov" */
export const dayOfYear = made({ day: "numeric", month: "short" });
/** "25 Nov 26" */
export const dayOfShortYear = made({ day: "numeric", month: "short", year: "2-digit" });
/** "25 Nov 2026" */
export const dayWithYear = made({ day: "numeric", month: "short", year: "numeric" });
