/** The table of contents: every address of the console and the page that answers it. The pages that a session begins with
 * come at once, each other when it is first opened. */

import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from "@tanstack/react-router";
import { isRefused, type Refused } from "@/accounts/refused-words";
import { asProblem } from "@/api/problem";
import { sessionQuery } from "@/api/queries";
import { auditFilter } from "@/audit/filter";
import { painted } from "@/lib/painted";
import { ChainsPage, chainsSearch } from "@/pages/chains";
import { ChangePasswordPage } from "@/pages/change-password";
import { FleetPage, fleetSearch } from "@/pages/fleet";
import {
  accountSearch,
  alertsSearch,
  artefactSearch,
  automationSearch,
  compareSearch,
  historySearch,
  hostSearch,
  nfTypeSearch,
  nfTypesSearch,
  operationsSearch,
  plansSearch,
  profilingSearch,
  registerSearch,
  studiesSearch,
  studyNewSearch,
  usersSearch,
} from "@/pages/searches";
import { SignInPage } from "@/pages/sign-in";
import { ProblemNote } from "@/ui/problem-note";
import { NotFound } from "./not-found";
import { isOwnPath } from "./own-path";
import { PageError } from "./page-error";
import { Shell } from "./shell";

interface Context {
  client: QueryClient;
  /** Whether another page was asked for, and not another view of the one that is shown. */
  leaving: { now: boolean };
}

const root = createRootRouteWithContext<Context>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (raw: Record<string, unknown>): { back?: string; refused?: Refused } => ({
    ...(isOwnPath(raw.back) ? { back: raw.back } : {}),
    ...(isRefused(raw.refused) ? { refused: raw.refused } : {}),
  }),
  component: SignInPage,
});

const changePassword = createRoute({
  getParentRoute: () => root,
  path: "/change-password",
  beforeLoad: async ({ context }) => {
    if (!(await context.client.query(sessionQuery))) throw redirect({ to: "/sign-in" });
  },
  component: ChangePasswordPage,
});

const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  beforeLoad: async ({ context, location }) => {
    // A page is drawn in one piece: the press that asks for it is answered before.
    if (context.leaving.now) await painted();
    const session = await context.client.query(sessionQuery);
    if (!session) throw redirect({ to: "/sign-in", search: location.href === "/" ? {} : { back: location.href } });
    if (session.must_change_password) throw redirect({ to: "/change-password" });
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
  component: lazyRouteComponent(() => import("@/pages/host"), "HostPage"),
});
const chains = createRoute({
  getParentRoute: () => shell,
  path: "/chains",
  validateSearch: chainsSearch,
  component: ChainsPage,
});
const chainNew = createRoute({
  getParentRoute: () => shell,
  path: "/chains/new",
  component: lazyRouteComponent(() => import("@/pages/chain-new"), "ChainNewPage"),
});
const chain = createRoute({
  getParentRoute: () => shell,
  path: "/chains/$name",
  validateSearch: historySearch,
  component: lazyRouteComponent(() => import("@/pages/chain"), "ChainPage"),
});
const plans = createRoute({
  getParentRoute: () => shell,
  path: "/plans",
  validateSearch: plansSearch,
  component: lazyRouteComponent(() => import("@/pages/plans"), "PlansPage"),
});
const plan = createRoute({
  getParentRoute: () => shell,
  path: "/plans/$planId",
  component: lazyRouteComponent(() => import("@/pages/plan"), "PlanPage"),
});
const compare = createRoute({
  getParentRoute: () => shell,
  path: "/plans/compare",
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import("@/pages/compare"), "ComparePage"),
});
const comparison = createRoute({
  getParentRoute: () => shell,
  path: "/comparisons/$id",
  component: lazyRouteComponent(() => import("@/pages/comparison"), "ComparisonPage"),
});
const operations = createRoute({
  getParentRoute: () => shell,
  path: "/operations",
  validateSearch: operationsSearch,
  component: lazyRouteComponent(() => import("@/pages/operations"), "OperationsPage"),
});
const profiling = createRoute({
  getParentRoute: () => shell,
  path: "/profiling",
  validateSearch: profilingSearch,
  component: lazyRouteComponent(() => import("@/pages/profiling"), "ProfilingPage"),
});
const profilingJob = createRoute({
  getParentRoute: () => shell,
  path: "/profiling/$id",
  component: lazyRouteComponent(() => import("@/pages/profiling-job"), "ProfilingJobPage"),
});
const artefacts = createRoute({
  getParentRoute: () => shell,
  path: "/artefacts",
  validateSearch: artefactSearch,
  component: lazyRouteComponent(() => import("@/pages/artefacts"), "ArtefactsPage"),
});
const nfTypes = createRoute({
  getParentRoute: () => shell,
  path: "/nf-types",
  validateSearch: nfTypesSearch,
  component: lazyRouteComponent(() => import("@/pages/nf-types"), "NfTypesPage"),
});
const nfType = createRoute({
  getParentRoute: () => shell,
  path: "/nf-types/$name",
  validateSearch: nfTypeSearch,
  component: lazyRouteComponent(() => import("@/pages/nf-type"), "NfTypePage"),
});
const nfTypeEdit = createRoute({
  getParentRoute: () => shell,
  path: "/nf-types/$name/edit",
  component: lazyRouteComponent(() => import("@/pages/nf-type-form"), "EditNfTypePage"),
});
// Not below /nf-types, where it would be a type's name.
const nfTypeNew = createRoute({
  getParentRoute: () => shell,
  path: "/register-nf-type",
  validateSearch: registerSearch,
  component: lazyRouteComponent(() => import("@/pages/nf-type-form"), "RegisterNfTypePage"),
});
const users = createRoute({
  getParentRoute: () => shell,
  path: "/users",
  validateSearch: usersSearch,
  component: lazyRouteComponent(() => import("@/pages/users"), "UsersPage"),
});
const account = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  validateSearch: accountSearch,
  component: lazyRouteComponent(() => import("@/pages/account"), "AccountPage"),
});
const audit = createRoute({
  getParentRoute: () => shell,
  path: "/audit",
  validateSearch: auditFilter,
  component: lazyRouteComponent(() => import("@/pages/audit"), "AuditPage"),
});
const operation = createRoute({
  getParentRoute: () => shell,
  path: "/operations/$operationId",
  component: lazyRouteComponent(() => import("@/pages/operation"), "OperationPage"),
});
const automation = createRoute({
  getParentRoute: () => shell,
  path: "/automation",
  validateSearch: automationSearch,
  component: lazyRouteComponent(() => import("@/pages/automation"), "AutomationPage"),
});
const alerts = createRoute({
  getParentRoute: () => shell,
  path: "/alerts",
  validateSearch: alertsSearch,
  component: lazyRouteComponent(() => import("@/pages/alerts"), "AlertsPage"),
});
const studies = createRoute({
  getParentRoute: () => shell,
  path: "/studies",
  validateSearch: studiesSearch,
  component: lazyRouteComponent(() => import("@/pages/studies"), "StudiesPage"),
});
const studyNew = createRoute({
  getParentRoute: () => shell,
  path: "/studies/new",
  validateSearch: studyNewSearch,
  component: lazyRouteComponent(() => import("@/pages/study-new"), "StudyNewPage"),
});
const study = createRoute({
  getParentRoute: () => shell,
  path: "/studies/$id",
  component: lazyRouteComponent(() => import("@/pages/study"), "StudyPage"),
});

/** Every other address: in the frame, so that the way to the pages stays. */
const notFound = createRoute({ getParentRoute: () => shell, path: "$", component: NotFound });

const tree = root.addChildren([
  signIn,
  changePassword,
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
    users,
    account,
    audit,
    nfTypes,
    nfType,
    nfTypeEdit,
    nfTypeNew,
    automation,
    alerts,
    studies,
    studyNew,
    study,
    notFound,
  ]),
]);

export function createAppRouter(client: QueryClient) {
  const leaving = { now: false };
  const router = createRouter({
    routeTree: tree,
    context: { client, leaving },
    defaultPreload: false,
    defaultErrorComponent: PageError,
    scrollRestoration: true,
  });
  router.subscribe("onBeforeLoad", ({ fromLocation, pathChanged }) => {
    leaving.now = fromLocation !== undefined && pathChanged;
  });
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
