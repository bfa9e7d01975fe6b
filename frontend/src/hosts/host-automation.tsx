/** What Sextant does by itself on this host, in sentences: each control law, what holds it back, what else. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { hostAutomationQuery } from "@/api/automation-queries";
import { asProblem } from "@/api/problem";
import type { HostAutomation as Found, LawOnHost } from "@/api/types";
import { ageOrTime, duration, timesSign } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { changeText } from "@/recommendations/words";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";

const MODE = { manual: "manual", recommend: "recommends", automatic: "automatic" } as const;

/** "Automation: recommends; 1 open", at the top of the page; the section that it leads to stands below the figures. */
export function AutomationFact({ host }: { host: string }): ReactNode {
  const { data, error } = useQuery(hostAutomationQuery(host));
  if (!data || error || data.laws.length === 0) return null;
  const open = data.laws.reduce((sum, law) => sum + law.recommendations.length, 0);
  return (
    <a className={open > 0 ? "warn nowrap" : "nowrap"} href="#automation">
      {open > 0 && <Shape name="warn" />}
      Automation: {modes(data)}
      {open > 0 && `; ${open} open`}
    </a>
  );
}

/** Each mode once, in the order of the laws; laws that differ are named. */
function modes({ stopped, laws }: Found): string {
  if (stopped) return "stopped";
  const alike = laws.every(({ mode }) => mode === laws[0]?.mode);
  const parts = alike
    ? laws.slice(0, 1).map(({ mode }) => MODE[mode])
    : laws.map(({ title, mode }) => `${title} ${MODE[mode]}`);
  return parts.join(", ");
}

export function HostAutomation({ host }: { host: string }): ReactNode {
  const { data, error } = useQuery(hostAutomationQuery(host));
  return (
    <Section
      title="Automation"
      note="what Sextant does by itself on this host"
      end={<CopyButton text={cli.hostAutomation(host)} curl={curls.hostAutomation(host)} />}
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {data && !error && (
        <div className="section-body host-automation">
          {data.laws.map((law) => (
            <Law key={law.law} law={law} host={host} stopped={data.stopped} />
          ))}
          {data.laws.length === 0 && <p className="t2">There are no control laws.</p>}
          <Others others={data.others} />
        </div>
      )}
      {!data && !error && <p className="section-body late t2">Loading what is automatic here</p>}
    </Section>
  );
}

function Law({ law, host, stopped }: { law: LawOnHost; host: string; stopped: boolean }): ReactNode {
  return (
    <div>
      <h3>
        <Link
          to="/automation"
          search={law.law === "numasfp" || law.law === "coco" || law.law === "srv6" ? { tab: law.law, host } : {}}
        >
          {law.title}
        </Link>
      </h3>
      <p>{law.policy}</p>
      {law.held_back.length > 0 && (
        <ul aria-label={`What holds ${law.title} back`}>
          {law.held_back.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <p className="t2">
        <Evaluated law={law} stopped={stopped} />
      </p>
      {law.recommendations.map((one) => (
        <p key={one.id}>
          <Shape name="warn" />
          Recommendation {one.id} is open:{" "}
          <Link to="/plans/$planId" params={{ planId: String(one.plan_id) }}>
            {changeText(one)}, plan {one.plan_id}
          </Link>
        </p>
      ))}
    </div>
  );
}

/** "Last evaluated 5.0 s ago: nothing is to be gained; again in 10 s." */
function Evaluated({ law, stopped }: { law: LawOnHost; stopped: boolean }): ReactNode {
  const now = useNow();
  const last = law.evaluated_at
    ? `Last evaluated ${ageOrTime(law.evaluated_at, now)}: ${timesSign(law.status)}`
    : "Not evaluated yet";
  if (stopped) return `${last}.`;
  const left = law.next_at ? (Date.parse(law.next_at) - now) / 1000 : 0;
  return `${last}; again ${left > 0 ? `in ${duration(left)}` : "at once"}.`;
}

function Others({ others }: { others: Found["others"] }): ReactNode {
  return (
    <div>
      <h3>Beside control laws</h3>
      <ul>
        {others.map(({ text }) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </div>
  );
}
