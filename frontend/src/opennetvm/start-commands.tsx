/** A placement as OpenNetVM's start commands: a script and a group file to copy or keep, and what they leave out. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { hostStartCommandsQuery, planStartCommandsQuery } from "@/api/opennetvm-queries";
import { asProblem } from "@/api/problem";
import type { PlanBody, StartCommands } from "@/api/types";
import { cli } from "@/session/cli";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { Picker } from "@/ui/select";
import { TextFile } from "@/ui/text-file";

export function HostStartCommands({ host }: { host: string }): ReactNode {
  return (
    <InWindow title={`Start commands of ${host}`}>
      <OfHost host={host} />
    </InWindow>
  );
}

function OfHost({ host }: { host: string }): ReactNode {
  const { data, error } = useQuery(hostStartCommandsQuery(host));
  return <Commands commands={data} error={error} command={cli.hostStartCommands(host)} />;
}

export function PlanStartCommands({ id, body }: { id: number; body: PlanBody }): ReactNode {
  const hosts = body.target.map((target) => target.content.host_id);
  const [chosen, choose] = useState(hosts[0]);
  if (chosen === undefined) return null;
  return (
    <InWindow title={`Start commands of plan ${id}`}>
      {hosts.length > 1 && (
        <Picker
          label="Host"
          value={chosen}
          choices={hosts.map((host) => ({ key: host, text: host }))}
          onChange={choose}
        />
      )}
      <OfPlan id={id} host={chosen} />
    </InWindow>
  );
}

function OfPlan({ id, host }: { id: number; host: string }): ReactNode {
  const { data, error } = useQuery(planStartCommandsQuery(id, host));
  return <Commands commands={data} error={error} command={cli.planStartCommands(id, host)} />;
}

function InWindow({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Start commands</Button>
      <Window open={open} title={title} onClose={() => setOpen(false)}>
        {children}
      </Window>
    </>
  );
}

type Kind = "script" | "group";

function Commands(props: {
  commands: StartCommands | undefined;
  error: Error | null;
  /** The same as a command line. */
  command: string;
}): ReactNode {
  const { commands: data, error } = props;
  const [kind, setKind] = useState<Kind>("script");
  if (error) return <ProblemNote problem={asProblem(error)} />;
  if (!data) return <p className="empty late">Writing the commands</p>;
  const text = kind === "script" ? data.shell : data.group;
  const name = kind === "script" ? `${data.host}.sh` : `${data.host}.json`;
  return (
    <>
      <p className="t2">For OpenNetVM v21.10, to be run by hand on a host that Sextant does not control.</p>
      <Segmented<Kind>
        label="Form"
        value={kind}
        onChange={setKind}
        options={[
          { key: "script", text: "Script" },
          { key: "group", text: "Group file" },
        ]}
      />
      <LeftOut commands={data} kind={kind} />
      {kind === "group" && data.group_manager !== "" && (
        <p className="t2">
          Start its manager first: <code className="command">{data.group_manager}</code>
        </p>
      )}
      <section aria-label={kind === "script" ? "Script" : "Group file"}>
        <pre className="commands">{text}</pre>
      </section>
      <WindowActions>
        <CopyButton text={props.command} />
        <CopyButton text={text} label="Copy" />
        <TextFile text={text} name={name} label="Download" type="text/plain" />
        {kind === "group" &&
          Object.entries(data.group_files).map(([path, file]) => (
            <TextFile
              key={path}
              text={file}
              name={path.split("/").at(-1) ?? path}
              label={path}
              type="application/json"
            />
          ))}
      </WindowActions>
    </>
  );
}

function LeftOut({ commands, kind }: { commands: StartCommands; kind: Kind }): ReactNode {
  const missing = commands.refusals.filter((one) => kind === "group" || !one.group_only);
  return (
    <>
      {missing.length > 0 && (
        <div className="problem" role="alert">
          <h3>Left out: OpenNetVM cannot run it this way</h3>
          <ul>
            {missing.map(({ chain, nf_id, field, message }) => (
              <li key={`${chain} ${nf_id} ${field} ${message}`}>
                <span className="mono">{nf_id ?? chain}</span>: <span className="mono">{field}</span> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      {commands.notes.length > 0 && (
        <ul className="t2" aria-label="What runs differently">
          {commands.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </>
  );
}
