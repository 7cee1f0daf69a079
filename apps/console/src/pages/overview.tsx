import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useEvents } from '../api/live.ts';
import { actionsQuery, countsQuery, ledgersQuery, readinessQuery } from '../api/queries.ts';
import type { Schemas } from '../api/types.ts';
import { durationText } from '../lib/format.ts';
import { DataTable } from '../ui/data-table.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Badge } from '../ui/status.tsx';
import { useNow } from '../ui/text.tsx';
import { actionColumns, useRefresh } from './actions.tsx';

const Chart = lazy(async () => ({ default: (await import('../ui/chart.tsx')).Chart }));

export function Overview() {
  const counts = useQuery(countsQuery());
  const newest = useQuery(actionsQuery({}, 6));
  const ended = useQuery(actionsQuery({ status: 'SUCCEEDED' }, 50));
  const oldest = useQuery({ ...actionsQuery({ status: 'PENDING' }, 100), refetchInterval: 5_000 });
  useRefresh();
  const now = useNow();
  const latencies = (ended.data?.actions ?? [])
    .flatMap(({ createdAt, endedAt }) =>
      endedAt === null ? [] : [Date.parse(endedAt) - Date.parse(createdAt)],
    )
    .sort((a, b) => a - b);
  const waiting = (oldest.data?.actions ?? []).map(({ createdAt }) => Date.parse(createdAt));
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  const text = (value: number | undefined) => (value === undefined ? '—' : durationText(value));
  const { status, pending = {} } = counts.data ?? {};
  return (
    <>
      <PageHead title="Overview" />
      {counts.isError ? <ProblemNote error={counts.error} /> : null}
      <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name="Pending" value={status?.PENDING.toLocaleString() ?? '—'}>
          oldest {waiting.length === 0 ? '—' : durationText(now - Math.min(...waiting))}
        </Figure>
        <Figure name="Succeeded" value={status?.SUCCEEDED.toLocaleString() ?? '—'}>
          in all
        </Figure>
        <Figure
          name="Failed"
          value={status?.FAILED.toLocaleString() ?? '—'}
          isBad={(status?.FAILED ?? 0) > 0}
        >
          in all
        </Figure>
        <Figure name="To the end" value={text(at(0.5))}>
          half; 95 % within {text(at(0.95))}
        </Figure>
      </div>
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-5">
          <Card title="Ended a second">
            <Suspense fallback={<div className="h-[180px]" />}>
              <Throughput />
            </Suspense>
          </Card>
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
                columns={actionColumns.filter(({ id }) => id !== 'fee')}
                rows={newest.data.actions}
                rowId={({ actionId }) => actionId}
                empty={
                  <Empty title="Nothing was sent yet">
                    <Link to="/send" search={{}} className="text-accent underline">
                      Send the first operation
                    </Link>
                  </Empty>
                }
              />
            )}
          </Card>
        </div>
        <div className="min-w-0 space-y-5">
          <Ledgers />
          <Reasons pending={pending} />
        </div>
      </div>
    </>
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

const span = 120;
const ends = new Set(['action.succeeded', 'action.failed', 'action.cancelled']);

/** Ends of the last two minutes, second by second, as this tab heard of them. */
function Throughput() {
  const [heard, setHeard] = useState<readonly number[]>([]);
  const [second, setSecond] = useState(() => Math.floor(Date.now() / 1_000));
  useEvents(({ type, timestamp }) => {
    if (ends.has(type)) setHeard((before) => [...before, Math.floor(Date.parse(timestamp) / 1_000)]);
  });
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Math.floor(Date.now() / 1_000);
      setSecond(now);
      setHeard((before) =>
        before[0] !== undefined && before[0] < now - span ? before.filter((at) => at >= now - span) : before,
      );
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  const times = Array.from({ length: span }, (_, index) => second - span + 1 + index);
  const counted = new Map<number, number>();
  for (const at of heard) counted.set(at, (counted.get(at) ?? 0) + 1);
  const values = times.map((at) => counted.get(at) ?? 0);
  return (
    <Chart
      times={times}
      values={values}
      label="Actions that ended, a second"
      summary={`${heard.length} in the last two minutes`}
    />
  );
}

function Ledgers() {
  const ledgers = useQuery(ledgersQuery());
  const readiness = useQuery(readinessQuery());
  const told = [...(readiness.data?.reasons ?? []), ...(readiness.data?.warnings ?? [])];
  return (
    <Card
      title="Ledgers"
      aside={
        readiness.data === undefined ? null : (
          <Badge tone={readiness.data.status === 'ready' ? 'good' : 'bad'}>
            {readiness.data.status === 'ready' ? 'Service ready' : 'Service not ready'}
          </Badge>
        )
      }
    >
      <ul className="space-y-2.5 text-sm">
        {ledgers.data?.map((ledger) => {
          const said = told.filter((text) => text.includes(ledger.ledgerID));
          return (
            <li key={ledger.ledgerID}>
              <div className="flex items-center justify-between gap-2">
                <span className="min-w-0 truncate font-medium">{ledger.name}</span>
                <LedgerState ledger={ledger} said={said} />
              </div>
              <p className="text-xs text-ink-3">{ledger.ledgerTechnology.name}</p>
              {said.map((text) => (
                <p key={text} className="text-xs break-words text-wait">
                  {text}
                </p>
              ))}
            </li>
          );
        })}
      </ul>
      {ledgers.data?.length === 0 ? <p className="text-sm text-ink-2">No ledger is registered.</p> : null}
    </Card>
  );
}

function LedgerState({ ledger, said }: { ledger: Schemas['Ledger']; said: readonly string[] }) {
  if (!ledger.active) return <Badge>off</Badge>;
  return said.length > 0 ? <Badge tone="wait">look</Badge> : <Badge tone="good">in use</Badge>;
}

function Reasons({ pending }: { pending: Record<string, number> }) {
  const reasons = Object.entries(pending)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  return (
    <Card title="Why actions wait">
      {reasons.length === 0 ? (
        <p className="text-sm text-ink-2">Nothing waits.</p>
      ) : (
        <ul className="space-y-1 text-sm">
          {reasons.map(([reason, count]) => (
            <li key={reason}>
              <Link
                to="/actions"
                search={{ status: 'PENDING', reason }}
                className="flex justify-between gap-2 rounded px-1 py-0.5 underline-offset-4 hover:underline"
              >
                <span>{reason.replaceAll('-', ' ')}</span>
                <span className="font-medium">{count.toLocaleString()}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
