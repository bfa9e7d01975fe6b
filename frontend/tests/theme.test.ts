/** Dark or light as the system says, also while the page is open, until the operator chooses. */
import { expect, test } from "vitest";
import { applyTheme, currentTheme, switchTheme } from "@/session/theme";

/** As where the system changes its theme: the document looks anew at what media queries say when the window changes. */
function systemIs(theme: "dark" | "light"): void {
  const { happyDOM } = window as unknown as { happyDOM: { settings: { device: { prefersColorScheme: string } } } };
  happyDOM.settings.device.prefersColorScheme = theme;
  window.dispatchEvent(new Event("resize"));
}

const shown = () => document.documentElement.dataset.theme;

test("a page follows the system while it is open", () => {
  systemIs("dark");
  applyTheme();
  expect(shown()).toBe("dark");
  systemIs("light");
  expect([shown(), currentTheme()]).toEqual(["light", "light"]);
  systemIs("dark");
  expect(shown()).toBe("dark");
});

test("what the operator chose stays, whatever the system says", () => {
  systemIs("dark");
  switchTheme();
  expect(shown()).toBe("light");
  systemIs("light");
  systemIs("dark");
  expect([shown(), currentTheme()]).toEqual(["light", "light"]);
  switchTheme();
  expect(shown()).toBe("dark");
});
