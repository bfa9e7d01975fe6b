/** Which of the files that were dropped is the group file. Pure. */

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

export interface GroupFiles {
  readonly group: TextFile;
  /** What its NFs read. */
  readonly others: readonly TextFile[];
}

/** As the console takes them, each. */
export const MAX_BYTES = 256 * 1024;

/** The one with a list for a program. Without such a one the first, so that the console says what is wrong with it. */
export function sorted(files: readonly TextFile[]): GroupFiles | null {
  const group = files.find(({ text }) => isGroup(text)) ?? files[0];
  return group ? { group, others: files.filter((file) => file !== group) } : null;
}

function isGroup(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read) && Object.values(read).some(Array.isArray);
  } catch {
    return false;
  }
}
