/** The table of contents: every address of the console and the page that answers it. */

import type { QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, createRouter, Outlet, redirect } from "@tanstack/react-router";
import { asProblem } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import { ArtefactsPage, artefactSearch } from "@/pages/artefacts";
import { ChainPage } from "@/pages/chain";
import { ChainNewPage } from "@/pages/chain-new";
import { ChainsPage, chainsSearch } from "@/pages/chains";
import { ComparePage } from "@/pages/compare";
import { ComparisonPage } from "@/pages/comparison";
import { FleetPage, fleetSearch } from "@/pages/fleet";
import { HostPage, hostSearch } from "@/pages/host";
import { NfTypePage, nfTypeSearch } from "@/pages/nf-type";
import { EditNfTypePage, RegisterNfTypePage, registerSearch } from "@/pages/nf-type-form";
import { NfTypesPage } from "@/pages/nf-types";
import { OperationPage } from "@/pages/operation";
import { OperationsPage } from "@/pages/operations";
import { PlanPage } from "@/pages/plan";
import { PlansPage } from "@/pages/plans";
import { ProfilingPage, profilingSearch } from "@/pages/profiling";
import { ProfilingJobPage } from "@/pages/profiling-job";
import { SignInPage } from "@/pages/sign-in";
import { StudiesPage, studiesSearch } from "@/pages/studies";
import { StudyPage } from "@/pages/study";
import { StudyNewPage, studyNewSearch } from "@/pages/study-new";
import { ProblemNote } from "@/ui/problem-note";
import { NotFound } from "./not-found";
import { isOwnPath } from "./own-path";
import { Shell } from "./shell";

interface Context {
  client: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (raw: Record<string, unknown>): { back?: string } => (isOwnPath(raw.back) ? { back: raw.back } : {}),
  component: SignInPage,
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    const session = await context.client.query(sessionQuery);
    if (!session) throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { back: location.href } });
  },
  component: Shell,
  errorComponent: ({ error }) => <ProblemNote problem={asProblem(error)} />,
});

const fleet = createRoute({
  getParentRoute: () => shell,
  path: "/",
  validateSearch: fleetSearch,
  component: FleetPage,
});
const host = createRoute({
  getParentRoute: () => shell,
  path: "/hosts/$id",
  validateSearch: hostSearch,
  component: HostPage,
});
const chains = createRoute({
  getParentRoute: () => shell,
  path: "/chains",
  validateSearch: chainsSearch,
  component: ChainsPage,
});
const chainNew = createRoute({ getParentRoute: () => shell, path: "/chains/new", component: ChainNewPage });
const chain = createRoute({ getParentRoute: () => shell, path: "/chains/$name", component: ChainPage });
const plans = createRoute({ getParentRoute: () => shell, path: "/plans", component: PlansPage });
const plan = createRoute({ getParentRoute: () => shell, path: "/plans/$planId", component: PlanPage });
const compare = createRoute({ getParentRoute: () => shell, path: "/plans/compare", component: ComparePage });
const comparison = createRoute({ getParentRoute: () => shell, path: "/comparisons/$id", component: ComparisonPage });
const operations = createRoute({ getParentRoute: () => shell, path: "/operations", component: OperationsPage });
const profiling = createRoute({
  getParentRoute: () => shell,
  path: "/profiling",
  validateSearch: profilingSearch,
  component: ProfilingPage,
});
const profilingJob = createRoute({ getParentRoute: () => shell, path: "/profiling/$id", component: ProfilingJobPage });
const artefacts = createRoute({
  getParentRoute: () => shell,
  path: "/artefacts",
  validateSearch: artefactSearch,
  component: ArtefactsPage,
});
const nfTypes = createRoute({ getParentRoute: () => shell, path: "/nf-types", component: NfTypesPage });
const nfType = createRoute({
  getParentRoute: () => shell,
  path: "/nf-types/$name",
  validateSearch: nfTypeSearch,
  component: NfTypePage,
});
const nfTypeEdit = createRoute({
  getParentRoute: () => shell,
  path: "/nf-types/$name/edit",
  component: EditNfTypePage,
});
// Not below /nf-types, where it would be a type's name.
const nfTypeNew = createRoute({
  getParentRoute: () => shell,
  path: "/register-nf-type",
  validateSearch: registerSearch,
  component: RegisterNfTypePage,
});
const operation = createRoute({
  getParentRoute: () => shell,
  path: "/operations/$operationId",
  component: OperationPage,
});
const studies = createRoute({
  getParentRoute: () => shell,
  path: "/studies",
  validateSearch: studiesSearch,
  component: StudiesPage,
});
const studyNew = createRoute({
  getParentRoute: () => shell,
  path: "/studies/new",
  validateSearch: studyNewSearch,
  component: StudyNewPage,
});
const study = createRoute({ getParentRoute: () => shell, path: "/studies/$id", component: StudyPage });

/** Every other address: in the frame, so that the way to the pages stays. */
const notFound = createRoute({ getParentRoute: () => shell, path: "$", component: NotFound });

const tree = root.addChildren([
  signIn,
  shell.addChildren([
    fleet,
    host,
    chains,
    chainNew,
    chain,
    plans,
    plan,
    compare,
    comparison,
    operations,
    operation,
    profiling,
    profilingJob,
    artefacts,
    nfTypes,
    nfType,
    nfTypeEdit,
    nfTypeNew,
    studies,
    studyNew,
    study,
    notFound,
  ]),
]);

export function createAppRouter(client: QueryClient) {
  return createRouter({ routeTree: tree, context: { client }, defaultPreload: false, scrollRestoration: true });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
