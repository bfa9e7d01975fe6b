/** The frame of every page: top bar, stale banner, the page, the palette; and the stream that keeps them live. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { AlertsMark } from "@/alerts/top-bar";
import { api, body, setCsrfToken } from "@/api/client";
import { sessionQuery } from "@/api/queries";
import { duration } from "@/lib/format";
import { staleText, useFreshness } from "@/live/freshness";
import { live, useLinkStatus } from "@/live/store";
import { mayRole } from "@/session/permission";
import { switchTheme, useTheme } from "@/session/theme";
import { isPlainKey } from "@/ui/keys";
import { FindPalette, Rehearsal } from "./find-palette";
import { followAlerts } from "./follow-alerts";
import { followPlans } from "./follow-plans";
import { followStudies } from "./follow-studies";
import { Help } from "./help";
import { OnItsWay, usePagesAhead } from "./on-its-way";
import { UntilKnown } from "./until-known";

export function Shell(): ReactNode {
  const [finding, setFinding] = useState(false);
  const [helping, setHelping] = useState(false);
  const client = useQueryClient();
  const signedOut = useLinkStatus() === "signed-out";
  useEffect(() => live.start(), []);
  useEffect(() => followAlerts(client), [client]);
  useEffect(() => followPlans(client), [client]);
  useEffect(() => followStudies(client), [client]);
  usePagesAhead();
  useShortcuts(setFinding, setHelping);
  const leave = useLeave();
  useEffect(() => {
    if (signedOut) void leave();
  }, [signedOut, leave]);

  return (
    <div className="shell">
      <a className="skip btn" href="#page">
        Skip to the page
      </a>
      <TopBar onFind={() => setFinding(true)} onHelp={() => setHelping(true)} />
      <StaleBanner />
      <UntilKnown>
        <Outlet />
      </UntilKnown>
      <Rehearsal />
      {finding && (
        <FindPalette
          onClose={() => setFinding(false)}
          doing={{ "show-keys": () => setHelping(true), "sign-out": () => signOut(leave) }}
        />
      )}
      <Help open={helping} onClose={() => setHelping(false)} />
    </div>
  );
}

function TopBar({ onFind, onHelp }: { onFind: () => void; onHelp: () => void }): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  const theme = useTheme();
  const leave = useLeave();
  // Comparisons are reached from the plans, hosts from the fleet, profiling from operations; they have no entry of their own.
  const comparing = useLocation({ select: ({ pathname }) => pathname.startsWith("/comparisons") });
  const onHost = useLocation({ select: ({ pathname }) => pathname.startsWith("/hosts/") });
  const registering = useLocation({ select: ({ pathname }) => pathname === "/register-nf-type" });
  const profiling = useLocation({ select: ({ pathname }) => pathname.startsWith("/profiling") });
  const other = theme === "dark" ? "light" : "dark";
  return (
    <header className="top">
      <OnItsWay />
      <Link className="brand" to="/" aria-label="Sextant, fleet">
        <Logo />
        <span className="second-rank">Sextant</span>
      </Link>
      <nav className="nav" aria-label="Main">
        <Link
          to="/"
          activeOptions={{ exact: true, includeSearch: false }}
          {...(onHost ? { "aria-current": "true" } : {})}
        >
          Fleet
        </Link>
        <Link to="/chains" activeOptions={{ includeSearch: false }}>
          Chains
        </Link>
        <Link
          to="/nf-types"
          activeOptions={{ includeSearch: false }}
          {...(registering ? { "aria-current": "true" } : {})}
        >
          NF types
        </Link>
        <Link to="/plans" {...(comparing ? { "aria-current": "true" } : {})}>
          Plans
        </Link>
        <Link to="/operations" {...(profiling ? { "aria-current": "true" } : {})}>
          Operations
        </Link>
        <Link to="/automation">Automation</Link>
        <Link to="/artefacts" activeOptions={{ includeSearch: false }}>
          Artefacts
        </Link>
        <Link to="/studies" activeOptions={{ includeSearch: false }}>
          Studies
        </Link>
        {mayRole(session?.role, "users.manage") && <Link to="/users">Users</Link>}
      </nav>
      <div className="end">
        <button type="button" className="find" onClick={onFind}>
          <span className="find-words">Find or do </span>
          <kbd>Ctrl K</kbd>
        </button>
        <AlertsMark />
        <LiveMark />
        <button
          type="button"
          className="btn quiet small"
          onClick={onHelp}
          aria-label="Keys, API and command line"
          title="Keys, API and command line"
        >
          ?
        </button>
        <button type="button" className="btn quiet small" onClick={switchTheme} aria-label={`Switch to ${other}`}>
          {theme === "dark" ? "Light" : "Dark"}
        </button>
        <Link className="btn quiet small" to="/account" title="My account">
          <span className="hidden-text">My account: </span>
          {session?.username}
          <span className="second-rank"> · {session?.role}</span>
        </Link>
        <button type="button" className="btn quiet small" onClick={() => signOut(leave)}>
          Sign out
        </button>
      </div>
    </header>
  );
}

function signOut(leave: () => Promise<void>): void {
  live.signOut();
  void body(api.POST("/api/v1/auth/logout")).finally(leave);
}

function Logo(): ReactNode {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      aria-hidden="true"
    >
      <path d="M2.2 12.2A9.6 9.6 0 0 0 15.8 12.2M9 2 3.4 13M9 2l5.6 11M9 2v12.6" />
    </svg>
  );
}

function LiveMark(): ReactNode {
  const freshness = useFreshness();
  const status = useLinkStatus();
  if (freshness.heardAt === 0) return <span className="live">connecting</span>;
  const off = freshness.stale || status !== "open";
  return (
    <span className="live" title={`Stream ${status}. Last update ${duration(freshness.ageS)} ago.`}>
      <i className={off ? "off" : ""} aria-hidden="true" />
      {freshness.stale ? "stale" : "live"} · {duration(freshness.ageS)}
    </span>
  );
}

function StaleBanner(): ReactNode {
  const freshness = useFreshness();
  if (!freshness.stale) return null;
  return (
    <div className="banner" role="status" data-testid="stale-banner">
      <span className="shape stale" aria-hidden="true" />
      <span>{staleText(freshness)} Reconnecting.</span>
      <span className="end">
        <button type="button" className="btn small" onClick={() => live.retry()}>
          Retry now
        </button>
      </span>
    </div>
  );
}

/** Forgets the session and asks for a new one, keeping the address to come back to. */
function useLeave(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [leave] = useState(() => async () => {
    setCsrfToken(null);
    client.clear();
    client.setQueryData(sessionQuery.queryKey, null);
    const back = location.pathname + location.search;
    await navigate({ to: "/sign-in", search: back === "/" ? {} : { back } });
  });
  return leave;
}

function useShortcuts(find: (open: true) => void, help: (open: true) => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        find(true);
      } else if (event.key === "?" && isPlainKey(event)) {
        event.preventDefault();
        help(true);
      } else if (event.key === "n" && isPlainKey(event)) {
        event.preventDefault();
        void navigate({ to: "/chains/new" });
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [find, help, navigate]);
}
