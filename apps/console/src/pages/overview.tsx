import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import { actionsQuery, countsQuery, ledgersQuery, readinessQuery } from '../api/queries.ts';
import { type Range, ranges, summaryQuery } from '../api/summary.ts';
import { durationText } from '../lib/format.ts';
import { pendingText } from '../lib/pending-text.ts';
import { buttonClass } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Card, Empty, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Badge } from '../ui/status.tsx';
import { useNow } from '../ui/text.tsx';
import { actionColumns, useRefresh } from './actions.tsx';
import { LedgerFigures, LedgerHealth, useLedgerMessages } from './ledger/health.tsx';
import { TechnologyTitle } from './ledger/technology.tsx';
import { Activity, durationTexts, Fees, totals } from './overview/activity.tsx';
import { LowBalances } from './overview/balances.tsx';
import { SuspensionBanners } from './overview/suspensions.tsx';

/** Each part loads its own data, so that an update renders only that part. */
export function Overview() {
  const counts = useQuery(countsQuery());
  const [range, setRange] = useState<Range>('24h');
  const summary = useQuery(summaryQuery(range)).data;
  useRefresh();
  const { status, pending = {} } = counts.data ?? {};
  const total = summary === undefined ? undefined : totals(summary);
  const { median, about } = durationTexts(summary);
  const period = ranges.find(([one]) => one === range)?.[1];
  return (
    <>
      <PageHead title="Overview" about="Live status of this project’s operations and ledgers." />
      <SuspensionBanners />
      {counts.isError ? (
        <div className="mb-5">
          <ProblemNote error={counts.error} canRetry />
        </div>
      ) : null}
      <div className="mb-5 grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Figure name="Pending" value={status?.PENDING.toLocaleString() ?? '—'}>
          {counts.data === undefined ? '—' : <Oldest at={counts.data.oldestPendingAt} />}
        </Figure>
        <Figure name="Succeeded" value={total?.succeeded.toLocaleString() ?? '—'}>
          in {period}; {status?.SUCCEEDED.toLocaleString() ?? '—'} in total
        </Figure>
        <Figure name="Failed" value={total?.failed.toLocaleString() ?? '—'} isBad={(total?.failed ?? 0) > 0}>
          in {period}; {status?.FAILED.toLocaleString() ?? '—'} failed or canceled in total
        </Figure>
        <Figure name="Time to completion" value={median}>
          {about}
        </Figure>
      </div>
      <div className="grid gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-5">
          <Activity range={range} choose={setRange} />
          <Newest />
        </div>
        <div className="min-w-0 space-y-5">
          <Ledgers />
          <Reasons pending={pending} />
          <Fees range={range} />
          <LowBalances size={newestSize} />
        </div>
      </div>
    </>
  );
}

/** How long the oldest pending action has been waiting. */
function Oldest({ at }: { at: string | null }) {
  const now = useNow();
  return at === null ? 'none waiting' : `oldest: ${durationText(now - Date.parse(at))}`;
}

const newestColumns = actionColumns.filter(({ id }) => id !== 'fee');

function Newest() {
  const newest = useQuery(actionsQuery({}, newestSize));
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
          label="Newest actions table"
          columns={newestColumns}
          rows={newest.data.actions.slice(0, 6)}
          rowId={({ actionId }) => actionId}
          empty={
            <Empty title="Nothing sent yet">
              <p>Operations are sent from wallets. Create a wallet, then send the first operation.</p>
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

/**
 * Number of actions to load. The table shows only the newest of them; the warning about low balances uses all
 * of them.
 */
const newestSize = 50;

function Readiness() {
  const { data, isError } = useQuery(readinessQuery());
  if (isError) return <Badge tone="bad">The service does not respond</Badge>;
  if (data === undefined) return null;
  const isReady = data.status === 'ready';
  return <Badge tone={isReady ? 'good' : 'bad'}>{isReady ? 'Service ready' : 'Service not ready'}</Badge>;
}

function Ledgers() {
  const ledgers = useQuery(ledgersQuery());
  const messagesOf = useLedgerMessages();
  return (
    <Card title="Ledgers" aside={<Readiness />}>
      <ul className="space-y-2.5 text-sm">
        {ledgers.data?.map((ledger) => (
          <li key={ledger.uid}>
            <div className="flex items-center justify-between gap-2">
              <Link
                to="/ledgers/$ledgerId"
                params={{ ledgerId: ledger.ledgerId }}
                // Truncates the logical end of the text, for either writing direction.
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
            <LedgerFigures uid={ledger.uid} />
            {messagesOf(ledger.uid).map((text) => (
              <p key={text} className="text-xs wrap-anywhere text-wait">
                {text}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {ledgers.data?.length === 0 ? <p className="text-sm text-ink-2">No ledgers yet.</p> : null}
    </Card>
  );
}

function Reasons({ pending }: { pending: Record<string, number> }) {
  const reasons = Object.entries(pending)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
  return (
    <Card title="Pending by reason">
      {reasons.length === 0 ? (
        <p className="text-sm text-ink-2">No pending actions.</p>
      ) : (
        <ul className="space-y-1 text-sm">
          {reasons.map(([reason, count]) => (
            <li key={reason}>
              <Link
                to="/actions"
                search={{ status: 'PENDING', reason }}
                className="flex justify-between gap-2 py-0.5 underline-offset-4 hover:underline"
              >
                <span>{pendingText(reason)}</span>
                <span className="font-medium">{count.toLocaleString()}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
