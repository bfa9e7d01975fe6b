/** A scenario that is being written survives a reload of this browser's tab. */

const KEY = "sextant-study-draft";

export function keptText(): string | null {
  return sessionStorage.getItem(KEY);
}

export function keepText(toml: string): void {
  sessionStorage.setItem(KEY, toml);
}

export function forgetText(): void {
  sessionStorage.removeItem(KEY);
}
