/** A list in the order in which the server sorted it, with what the stream has said since. */

interface Versioned {
  readonly id: number;
  readonly version: number;
}

export function renewed<T extends Versioned>(fetched: readonly T[], live: ReadonlyMap<number, T>): T[] {
  return fetched.map((row) => {
    const now = live.get(row.id);
    return now && now.version >= row.version ? now : row;
  });
}
