/** Where in a TOML text a field stands that was refused, so that its line can be shown. Pure. */

/** The line (from 1) that a refusal is about; null where it names none that is there. `field`: "set.1.chains.0", or
 * "set edge" for the entry of that name. */
export function lineOf(toml: string, field: string, message: string): number | null {
  return lineOfField(declared(toml), field) ?? lineInMessage(message);
}

/** "Expected '=' (at line 3, column 5)" -> 3. */
function lineInMessage(message: string): number | null {
  const found = /\bline (\d+)/.exec(message);
  return found ? Number(found[1]) : null;
}

function lineOfField(lines: readonly Declared[], field: string): number | null {
  const [array, name] = field.split(" ");
  if (name !== undefined) return lines.find(({ path, value }) => path[0] === array && value === name)?.line ?? null;
  const wanted = field.split(".").filter(Boolean);
  const leading = lines.filter(({ path }) => path.every((part, index) => part === wanted[index]));
  const deepest = leading.reduce<Declared | null>(
    (best, each) => (each.path.length > (best?.path.length ?? 0) ? each : best),
    null,
  );
  return deepest?.line ?? null;
}

interface Declared {
  readonly path: readonly string[];
  readonly line: number;
  /** Of a key that is called `name`. */
  readonly value?: string | undefined;
}

/** Every table, entry of an array of tables, and key, by its path. Lists and inline tables are not looked into. */
function declared(toml: string): Declared[] {
  const found: Declared[] = [];
  const counts = new Map<string, number>();
  let table: readonly string[] = [];
  for (const [index, text] of toml.split("\n").entries()) {
    const line = index + 1;
    const array = /^\s*\[\[\s*([\w.-]+)\s*\]\]/.exec(text)?.[1];
    const single = /^\s*\[\s*([\w.-]+)\s*\]/.exec(text)?.[1];
    const [, key, value] = /^\s*([\w-]+)\s*=\s*(?:"([^"]*)")?/.exec(text) ?? [];
    if (array !== undefined) {
      const number = counts.get(array) ?? 0;
      counts.set(array, number + 1);
      table = [...array.split("."), String(number)];
      found.push({ path: table, line });
    } else if (single !== undefined) {
      table = single.split(".");
      found.push({ path: table, line });
    } else if (key !== undefined) {
      found.push({ path: [...table, key], line, value: key === "name" ? value : undefined });
    }
  }
  return found;
}
