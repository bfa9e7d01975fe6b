import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createAppRouter } from "@/app/routes";
import { applyTheme } from "@/session/theme";
import "@/styles/tokens.css";
import "@/styles/base.css";
import "@/styles/ui.css";
import "@/styles/forms.css";
import "@/styles/shell.css";
import "@/styles/fleet.css";
import "@/styles/fleet-side.css";
import "@/styles/host-picture.css";
import "@/styles/host.css";
import "@/styles/sign-in.css";
import "@/styles/chain-new.css";
import "@/styles/charts.css";
import "@/styles/path.css";
import "@/styles/history.css";
import "@/styles/plan-review.css";
import "@/styles/resources.css";
import "@/styles/operation.css";
import "@/styles/adjust.css";
import "@/styles/alerts.css";
import "@/styles/artefacts.css";
import "@/styles/plans.css";
import "@/styles/races.css";
import "@/styles/laws.css";
import "@/styles/law-cores.css";
import "@/styles/recommendation.css";
import "@/styles/profiling.css";
import "@/styles/traffic.css";
import "@/styles/nf-types.css";
import "@/styles/studies.css";
import "@/styles/audit.css";
import "@/styles/accounts.css";

applyTheme();
const client = new QueryClient({
  defaultOptions: { queries: { retry: 1, refetchOnWindowFocus: false, staleTime: 5000 } },
});
const router = createAppRouter(client);
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
