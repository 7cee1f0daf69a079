import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { type ReactNode, useEffect, useState } from 'react';
import { useEvents } from '../api/live.ts';
import { actionsQuery, countsQuery, ledgersQuery, readinessQuery } from '../api/queries.ts';
import { durationText, sentenceText } from '../lib/format.ts';
import { createHeard, secondOf, throughputOf } from '../lib/throughput.ts';
import { buttonClass } from '../ui/button.tsx';
import { Chart } from '../ui/chart.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Badge } from '../ui/status.tsx';
import { useNow } from '../ui/text.tsx';
import { actionColumns, useRefresh } from './actions.tsx';
import { LedgerHealth, useSaidOf } from './ledger/health.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';

/** Each part asks for what it shows, and is drawn anew alone. */
export function Overview() {
  const counts = useQuery(countsQuery());
  useRefresh();
  const { status, pending = {} } = counts.data ?? {};
  return (
    <>
      <PageHead
        title="Overview"
        about="What becomes of the operations of this project, and how its ledgers are, as it happens."
      />
      {counts.isError ? (
        <div className="mb-5">
          <ProblemNote error={counts.error} canRetry />
        </div>
      ) : null}
      <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name="Pending" value={status?.PENDING.toLocaleString() ?? '—'}>
          {counts.data === undefined ? '—' : <Oldest at={counts.data.oldestPendingAt} />}
        </Figure>
        <Figure name="Succeeded" value={status?.SUCCEEDED.toLocaleString() ?? '—'}>
          in total
        </Figure>
        <Figure
          name="Failed"
          value={status?.FAILED.toLocaleString() ?? '—'}
          isBad={(status?.FAILED ?? 0) > 0}
        >
          in total
        </Figure>
        <Latency />
      </div>
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-5">
          <Card title="Actions ended per second">
            <Throughput />
          </Card>
          <Newest />
        </div>
        <div className="min-w-0 space-y-5">
          <Ledgers />
          <Reasons pending={pending} />
        </div>
      </div>
    </>
  );
}

/** How long the oldest action waits that does. */
function Oldest({ at }: { at: string | null }) {
  const now = useNow();
  return at === null ? 'none waits' : `the oldest for ${durationText(now - Date.parse(at))}`;
}

function Latency() {
  const newest = useQuery(newestQuery());
  // After what the page shows first, of which it would be half.
  const ended = useQuery({ ...actionsQuery({ status: 'SUCCEEDED' }, 50), enabled: !newest.isPending });
  const latencies = (ended.data?.actions ?? [])
    .flatMap(({ createdAt, endedAt }) =>
      endedAt === null ? [] : [Date.parse(endedAt) - Date.parse(createdAt)],
    )
    .sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  const text = (value: number | undefined) => (value === undefined ? '—' : durationText(value));
  const about =
    latencies.length === 0
      ? 'nothing has succeeded yet'
      : `median of the last ${latencies.length}; 95 % within ${text(at(0.95))}`;
  return (
    <Figure name="Time to the end" value={text(at(0.5))}>
      {ended.data === undefined ? '—' : about}
    </Figure>
  );
}

const newestColumns = actionColumns.filter(({ id }) => id !== 'fee');

function Newest() {
  const newest = useQuery(newestQuery());
  return (
    <Card
      flush
      title="Newest actions"
      aside={
        <Link
          to="/actions"
          search={{}}
          className="text-sm font-medium text-accent underline-offset-4 hover:underline"
        >
          All actions
        </Link>
      }
    >
      {newest.data === undefined ? (
        <Loading />
      ) : (
        <DataTable
          label="Table of the newest actions"
          columns={newestColumns}
          rows={newest.data.actions.slice(0, 6)}
          rowId={({ actionId }) => actionId}
          empty={
            <Empty title="Nothing was sent yet">
              <p>An operation is sent from a wallet: create one, then send the first.</p>
              <p className="mt-4 flex flex-wrap justify-center gap-2">
                <Link to="/wallets" className={buttonClass()}>
                  Wallets
                </Link>
                <Link to="/send" search={{}} className={buttonClass('primary')}>
                  New operation
                </Link>
              </p>
            </Empty>
          }
        />
      )}
    </Card>
  );
}

function Figure({
  name,
  value,
  children,
  isBad = false,
}: {
  name: string;
  value: string;
  children: ReactNode;
  isBad?: boolean;
}) {
  return (
    <div className="rounded-xl border border-line bg-surface px-5 py-4">
      <p className="text-sm text-ink-2">{name}</p>
      <p className={clsx('mt-1 text-2xl font-semibold tracking-tight', isBad && 'text-bad')}>{value}</p>
      <p className="mt-0.5 text-xs text-ink-3">{children}</p>
    </div>
  );
}

/** Seconds that the chart shows. */
const span = 120;
/** Actions that are asked for: the chart counts them, and the table shows the first. */
const newestSize = 50;
const newestQuery = () => actionsQuery({}, newestSize);
const ends = new Set(['action.succeeded', 'action.failed', 'action.cancelled']);

/** Ends of the last two minutes, second by second, as this tab heard of them. */
function Throughput() {
  const newest = useQuery(newestQuery()).data?.actions;
  const [since] = useState(() => Math.ceil(Date.now() / 1_000));
  // Drawn once a second, however much is heard.
  const [heard] = useState(createHeard);
  const [now, setNow] = useState(() => Math.floor(Date.now() / 1_000));
  useEvents(({ type, timestamp, data }) => {
    if (ends.has(type)) heard.hear(data.actionId, secondOf(timestamp));
  });
  useEffect(() => {
    const timer = setInterval(() => {
      const second = Math.floor(Date.now() / 1_000);
      heard.forget(second - span);
      setNow(second);
    }, 1_000);
    return () => clearInterval(timer);
  }, [heard]);
  const { times, values, total, known } = throughputOf(
    { heard, since },
    { newest, size: newestSize },
    { now, span },
  );
  return (
    <Chart
      times={times}
      values={values}
      label="Actions ended per second"
      summary={`${total} in the last ${durationText(known * 1_000)}`}
    />
  );
}

function Readiness() {
  const { data, isError } = useQuery(readinessQuery());
  if (isError) return <Badge tone="bad">Service does not answer</Badge>;
  if (data === undefined) return null;
  const isReady = data.status === 'ready';
  return <Badge tone={isReady ? 'good' : 'bad'}>{isReady ? 'Service ready' : 'Service not ready'}</Badge>;
}

function Ledgers() {
  const ledgers = useQuery(ledgersQuery());
  const saidOf = useSaidOf();
  return (
    <Card title="Ledgers" aside={<Readiness />}>
      <ul className="space-y-2.5 text-sm">
        {ledgers.data?.map((ledger) => {
          const said = saidOf(ledger.uid);
          return (
            <li key={ledger.uid}>
              <div className="flex items-center justify-between gap-2">
                <Link
                  to="/ledgers/$ledgerId"
                  params={{ ledgerId: ledger.ledgerId }}
                  // Its end is left out, whichever way it is written.
                  dir="auto"
                  className="min-w-0 truncate font-medium underline-offset-4 hover:underline"
                >
                  {ledger.name}
                </Link>
                <LedgerHealth uid={ledger.uid} />
              </div>
              <p className="text-xs text-ink-3">
                <TechnologyTitle name={ledger.technology} />
              </p>
              {said.map((text) => (
                <p key={text} className="text-xs wrap-anywhere text-wait">
                  {text}
                </p>
              ))}
            </li>
          );
        })}
      </ul>
      {ledgers.data?.length === 0 ? <p className="text-sm text-ink-2">No ledger yet.</p> : null}
    </Card>
  );
}

function Reasons({ pending }: { pending: Record<string, number> }) {
  const reasons = Object.entries(pending)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  return (
    <Card title="Why actions wait">
      {reasons.length === 0 ? (
        <p className="text-sm text-ink-2">No action is waiting.</p>
      ) : (
        <ul className="space-y-1 text-sm">
          {reasons.map(([reason, count]) => (
            <li key={reason}>
              <Link
                to="/actions"
                search={{ status: 'PENDING', reason }}
                className="flex justify-between gap-2 py-0.5 underline-offset-4 hover:underline"
              >
                <span>{sentenceText(reason)}</span>
                <span className="font-medium">{count.toLocaleString()}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
