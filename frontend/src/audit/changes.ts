/** What differs between an object before and after, field by field. Pure. */

export interface FieldChange {
  /** `nfs.0.config.seed`. */
  readonly field: string;
  /** As JSON; null where it was not there. */
  readonly before: string | null;
  /** The same; null where it is gone. */
  readonly after: string | null;
}

type Content = Readonly<Record<string, unknown>> | null;

/** Fields that differ, in the order of their names; all of them where there is only one side. */
export function fieldChanges(before: Content, after: Content): FieldChange[] {
  const [was, is] = [leaves(before), leaves(after)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .filter((field) => was.get(field) !== is.get(field))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .map((field) => ({ field, before: was.get(field) ?? null, after: is.get(field) ?? null }));
}

/** Every value that holds no other, by the way to it. What is empty is a value; null says that there is none. */
function leaves(content: Content): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (path: string, value: unknown): void => {
    const parts = typeof value === "object" ? Object.entries(value ?? {}) : [];
    if (value === null) return;
    if (parts.length === 0) found.set(path, typeof value === "string" && value !== "" ? value : JSON.stringify(value));
    for (const [name, inner] of parts) walk(path === "" ? name : `${path}.${name}`, inner);
  };
  for (const [name, value] of Object.entries(content ?? {})) walk(name, value);
  return found;
}
