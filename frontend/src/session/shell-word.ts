/** A text as one word of a shell, whatever is in it; quoted only where it needs it. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
