/** Where alerts are sent: each channel with what came of its newest attempt, and the way to test or end it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import {
  CHANNELS,
  channelsQuery,
  DELIVERIES,
  deleteChannel,
  switchChannel,
  testChannel,
} from "@/api/notification-queries";
import { asProblem } from "@/api/problem";
import type { ChannelSort } from "@/api/sorts";
import type { Channel } from "@/api/types";
import { when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm, Window } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { NewChannel } from "./new-channel";

const COLUMNS: readonly ServerSorted<Channel, ChannelSort>[] = [
  {
    key: "name",
    head: "Channel",
    rowHead: true,
    sorts: ["name", "-name"],
    cell: ({ name }) => <b className="strong">{name}</b>,
  },
  { key: "to", head: "To", sorts: ["target", "-target"], cell: ({ target }) => target },
  { key: "on", head: "State", sorts: ["-enabled", "enabled"], cell: ({ enabled }) => (enabled ? "on" : "off") },
  {
    key: "least",
    head: "Sends",
    secondRank: true,
    cell: ({ least_severity, send_resolved }) => `from ${least_severity} on${send_resolved ? ", and their end" : ""}`,
  },
  {
    key: "last",
    head: "Newest attempt",
    cell: ({ last_error, last_delivered_at }) =>
      last_error ? <span className="bad">{last_error}</span> : last_delivered_at ? when(last_delivered_at) : "–",
  },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (channel) => <Actions channel={channel} />,
  },
];

export function Channels(sorting: Sorting<ChannelSort>): ReactNode {
  const { data, error } = useQuery(channelsQuery(sorting.sort));
  return (
    <Section
      title="Channels"
      note="where alerts are sent"
      end={
        <>
          <CopyButton text={cli.channels()} curl={curls.channels()} />
          <AddChannel />
        </>
      }
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading channels</p>}
      {data && data.length > 0 && (
        <Table label="Channels" columns={sortedHeads(COLUMNS, sorting)} rows={data} rowKey={({ id }) => id} />
      )}
      {data?.length === 0 && (
        <p className="section-body t2">
          Alerts are shown here and sent nowhere. An administrator can add a webhook or mail addresses; a receiver in a
          private network has to be allowed first: <code>{cli.allowNetworks()}</code>
        </p>
      )}
    </Section>
  );
}

function AddChannel(): ReactNode {
  const [open, setOpen] = useState(false);
  const reason = useRoleReason("notifications.manage");
  return (
    <>
      <Button small reason={reason} reasonSide="below-left" onClick={() => setOpen(true)}>
        Add a channel
      </Button>
      <Window open={open} title="Add a channel" onClose={() => setOpen(false)}>
        {open && <NewChannel />}
      </Window>
    </>
  );
}

function Actions({ channel }: { channel: Channel }): ReactNode {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const role = useRoleReason("notifications.manage");
  const changed = () => {
    void client.invalidateQueries({ queryKey: CHANNELS });
    void client.invalidateQueries({ queryKey: DELIVERIES });
  };
  const test = useMutation({ mutationFn: () => testChannel(channel.id), onSettled: changed });
  const toggle = useMutation({ mutationFn: () => switchChannel(channel, !channel.enabled), onSettled: changed });
  const remove = useMutation({
    mutationFn: () => deleteChannel(channel),
    onSuccess: () => setAsking(false),
    onSettled: changed,
  });
  const reason = role ?? (test.isPending || toggle.isPending ? "The order is being sent." : null);
  const error = test.error ?? toggle.error;
  return (
    <span className="row-actions tight">
      <Button small reason={reason} reasonSide="below-left" onClick={() => test.mutate()}>
        Test<span className="hidden-text"> {channel.name}</span>
      </Button>
      <Button small reason={reason} reasonSide="below-left" onClick={() => toggle.mutate()}>
        Switch {channel.enabled ? "off" : "on"}
        <span className="hidden-text"> {channel.name}</span>
      </Button>
      <Button small look="danger" reason={role} reasonSide="below-left" onClick={() => setAsking(true)}>
        Delete<span className="hidden-text"> {channel.name}</span>
      </Button>
      {error && <ProblemNote problem={asProblem(error)} />}
      <Confirm
        open={asking}
        title={`Delete channel ${channel.name}`}
        action="Delete"
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={() => {
          remove.reset();
          setAsking(false);
        }}
      >
        <p>Nothing is sent to {channel.target} any more. What was sent stays in the log for 30 days.</p>
        <CopyButton text={cli.removeChannel(channel.name)} curl={curls.removeChannel(channel.id)} />
        {remove.error && <ProblemNote problem={asProblem(remove.error)} />}
      </Confirm>
    </span>
  );
}
