import { amountText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { ledgersQuery, technologiesQuery } from '../../api/queries.ts';
import { type Range, ranges, type Summary, summaryQuery } from '../../api/summary.ts';
import { durationText } from '../../lib/format.ts';
import { Bars } from '../../ui/bars.tsx';
import { Card, Loading } from '../../ui/layout.tsx';
import { Name } from '../../ui/names.tsx';
import { Pills } from '../../ui/pills.tsx';
import { ProblemNote } from '../../ui/problem.tsx';

/** Finished actions over time, with a choice of the period. */
export function Activity({ range, choose }: { range: Range; choose: (range: Range) => void }) {
  const summary = useQuery({ ...summaryQuery(range), placeholderData: (before) => before });
  return (
    <Card
      title="Completed actions"
      aside={<Pills label="Period" options={ranges} value={range} choose={choose} />}
    >
      {summary.isError && summary.data === undefined ? <ProblemNote error={summary.error} canRetry /> : null}
      {summary.isPending ? <Loading /> : null}
      {summary.data === undefined ? null : <Chart summary={summary.data} range={range} />}
    </Card>
  );
}

function Chart({ summary, range }: { summary: Summary; range: Range }) {
  const total = totals(summary);
  const text = `${total.succeeded.toLocaleString()} succeeded, ${total.failed.toLocaleString()} failed, ${total.canceled.toLocaleString()} canceled`;
  const form: Intl.DateTimeFormatOptions =
    range === '15m' || range === '24h'
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short' };
  return (
    <>
      <p className="mb-3 text-sm text-ink-2">{text}</p>
      <Bars
        bars={summary.spans}
        label="Completed actions"
        summary={text}
        timeText={(at) => new Date(at).toLocaleString(undefined, form)}
      />
    </>
  );
}

/** How many actions of the period ended with each outcome. */
export function totals({ spans }: Summary) {
  const sum = { succeeded: 0, failed: 0, canceled: 0 };
  for (const span of spans) {
    sum.succeeded += span.succeeded;
    sum.failed += span.failed;
    sum.canceled += span.canceled;
  }
  return sum;
}

/** Time from acceptance to the final state, as two figures. */
export function durationTexts(summary: Summary | undefined): { median: string; about: string } {
  if (summary === undefined) return { median: '—', about: '—' };
  if (summary.duration === null) return { median: '—', about: 'nothing has succeeded yet' };
  const { p50, p95 } = summary.duration;
  return { median: durationText(p50), about: `median; 95% within ${durationText(p95)}` };
}

/** Fees spent in the period, per ledger. */
export function Fees({ range }: { range: Range }) {
  const summary = useQuery(summaryQuery(range)).data;
  const ledgers = useQuery(ledgersQuery()).data;
  const technologies = useQuery(technologiesQuery()).data;
  return (
    <Card title="Fees spent">
      {summary?.fees.length === 0 ? (
        <p className="text-sm text-ink-2">No fees were reported in this period.</p>
      ) : null}
      <ul className="space-y-1.5 text-sm">
        {summary?.fees.map(({ ledgerUid, ledgerId, amount }) => {
          const ledger = ledgers?.find(({ uid }) => uid === ledgerUid);
          const unit = technologies?.find(({ name }) => name === ledger?.technology)?.unit ?? null;
          return (
            <li key={ledgerUid} className="flex justify-between gap-2">
              <Name id={ledgerId} name={ledger?.name ?? ledgerId} />
              <span className="font-medium wrap-anywhere tabular-nums">{amountText(amount, unit)}</span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
