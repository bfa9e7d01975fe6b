/** Parts of the pages of plans, as an operator who is signed in sees them. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import axe from "axe-core";
import type { ReactNode } from "react";
import { expect } from "vitest";
import { sessionQuery } from "@/api/queries";

export function show(children: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const session = {
    username: "ops-1",
    role: "operator" as const,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

export async function expectAccessible(element: Element): Promise<void> {
  const found = await axe.run(element, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(found.violations.map((violation) => violation.id)).toEqual([]);
}
