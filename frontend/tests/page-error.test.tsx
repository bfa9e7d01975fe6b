import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { snapshot } from "./fixtures";

const MISSING = "Failed to fetch dynamically imported module: /assets/plans.js";

vi.hoisted(() => {
  const session = {
    username: "admin",
    role: "admin",
    csrf_token: "t",
    expires_at: "2036-01-01T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(session)));
});
vi.mock("@/pages/plans", () => ({
  PlansPage: () => {
    throw new Error(MISSING);
  },
}));

it("leaves the frame round a page that cannot be loaded, and says what to do", async () => {
  vi.spyOn(console, "error").mockReturnValue(); // React reports what was thrown
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", "/plans");
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot()] }));
  expect((await screen.findByRole("alert")).textContent).toContain(`This page could not be loaded`);
  expect(screen.getByRole("alert").textContent).toContain(MISSING);
  expect(screen.getByRole("button", { name: "Load again" })).toBeTruthy();
  expect(screen.getByRole("navigation", { name: "Main" })).toBeTruthy();
});
