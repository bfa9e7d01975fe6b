/** Dark or light: as the operator chose, otherwise as the system says. The root always carries `data-theme`. */

import { useSyncExternalStore } from "react";

export type Theme = "dark" | "light";

const KEY = "sextant-theme";
const system = window.matchMedia("(prefers-color-scheme: light)");
const listeners = new Set<() => void>();

function chosen(): Theme | null {
  const value = localStorage.getItem(KEY);
  return value === "dark" || value === "light" ? value : null;
}

export function currentTheme(): Theme {
  return chosen() ?? (system.matches ? "light" : "dark");
}

/** Sets the root's attribute now and whenever the choice or the system changes. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = currentTheme();
  for (const listener of listeners) listener();
}

export function switchTheme(): void {
  localStorage.setItem(KEY, currentTheme() === "dark" ? "light" : "dark");
  applyTheme();
}

system.addEventListener("change", applyTheme);

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentTheme);
}
