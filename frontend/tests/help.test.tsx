/** The window of keys and references. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render as renderBare, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { expect, it } from "vitest";
import { versionQuery } from "@/api/version";
import { Help } from "@/app/help";
import { LAYERS } from "@/fleet/layers";

function render(what: ReactNode): void {
  const client = new QueryClient();
  client.setQueryData(versionQuery.queryKey, { status: "ok", version: "1.2.3" });
  renderBare(<QueryClientProvider client={client}>{what}</QueryClientProvider>);
}

it("says which version serves the page", () => {
  render(<Help open onClose={() => {}} />);
  expect(screen.getByText("Sextant 1.2.3")).toBeDefined();
});

it("names every layer's keys, and leads to the API's reference", () => {
  render(<Help open onClose={() => {}} />);
  const maps = screen.getByRole("region", { name: "Fleet and host" });
  for (const { title, keys } of LAYERS) {
    const row = within(maps).getByText(title).parentElement;
    expect([...(row?.querySelectorAll("kbd") ?? [])].map((key) => key.textContent?.toLowerCase())).toEqual(keys);
  }
  expect(screen.getByRole("link", { name: "API reference" }).getAttribute("href")).toBe("/docs");
});

it("gives the focus back to what opened it", async () => {
  function Page() {
    const [open, setOpen] = useState(false);
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          ?
        </button>
        <Help open={open} onClose={() => setOpen(false)} />
      </>
    );
  }
  render(<Page />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "?" }));
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement?.textContent).toBe("?");
});
