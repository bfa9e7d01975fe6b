/** What stands further down is not part of the first drawing of a page, and comes by itself. */

import { render, screen } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { expect, it } from "vitest";
import { Later } from "@/ui/later";

const page = (
  <main>
    <h1>Chain</h1>
    <Later>
      <p>History</p>
    </Later>
  </main>
);

it("is left out of the first drawing", () => {
  expect(renderToString(page)).toBe("<main><h1>Chain</h1></main>");
});

it("comes after it", async () => {
  render(page);
  expect(await screen.findByText("History")).toBeTruthy();
});
