import { amountText } from '@ledger-ops/client/text';
import type { ActionDetails } from '../../api/types.ts';
import { Card } from '../../ui/layout.tsx';
import { Badge } from '../../ui/status.tsx';
import { Id, Time } from '../../ui/text.tsx';

const kinds = {
  main: 'The operation',
  bump: 'Replacement with a higher fee',
  noop: 'Empty replacement with the same nonce',
  outside: 'Transaction of another program',
};

/** All transactions signed for an action, oldest first. At most one of them is executed. */
export function Transactions({ action: { attempts, unit, details } }: { action: ActionDetails }) {
  if (attempts.length === 0) return null;
  const sent = sentByPlugin(details?.transactions);
  return (
    <Card title={attempts.length === 1 ? 'Transaction' : `${attempts.length} transactions`}>
      <ol className="space-y-4">
        {attempts.map((one, index) => (
          <li key={one.txId} className="rounded-lg border border-line p-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">
                {one.kind === 'noop' && one.sequence === null ? 'Empty replacement' : kinds[one.kind]}
              </span>
              {one.executed ? (
                <Badge tone="good">on the ledger</Badge>
              ) : (
                <Badge tone={one.settledAt === null ? 'wait' : 'none'}>
                  {one.settledAt === null ? 'pending' : 'not executed'}
                </Badge>
              )}
            </div>
            <div className="mt-1">
              <Id>{one.txId}</Id>
            </div>
            <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-2">
              <span>
                {one.kind === 'outside' ? 'Marked' : 'Signed'} <Time at={one.at} />
              </span>
              {one.sequence === null ? null : <span>Nonce {one.sequence}</span>}
              {one.blockHeight === null ? null : <span>Block {one.blockHeight.toLocaleString()}</span>}
              <Cost attempt={one} before={attempts[index - 1]?.maxCost ?? null} unit={unit} />
            </p>
            {one.reason === null ? null : <p className="mt-2 text-sm wrap-anywhere">{one.reason}</p>}
          </li>
        ))}
      </ol>
      {sent.length < 2 ? null : (
        <div className="mt-4 text-sm">
          <h3 className="mb-1 font-medium">Sent by the plugin, oldest first</h3>
          <ol className="space-y-1">
            {sent.map((txId) => (
              <li key={txId}>
                <Id>{txId}</Id>
              </li>
            ))}
          </ol>
        </div>
      )}
    </Card>
  );
}

/** The transactions of a remote plugin, which signs them itself. */
function sentByPlugin(transactions: unknown): string[] {
  return Array.isArray(transactions)
    ? [...new Set(transactions.filter((txId) => typeof txId === 'string'))]
    : [];
}

/**
 * The fee of an executed transaction, or the maximum cost of any other. Empty if the plugin does not report
 * it.
 */
function Cost({
  attempt: { fee, executed, maxCost },
  before,
  unit,
}: {
  attempt: ActionDetails['attempts'][number];
  before: string | null;
  unit: ActionDetails['unit'];
}) {
  if (fee !== null) return <span>Fee {amountText(fee, unit)}</span>;
  if (executed) return unit === null ? null : <span>Fee not reported</span>;
  if (maxCost === null) return null;
  return (
    <span>
      At most {amountText(maxCost, unit)}
      {raiseText(maxCost, before)}
    </span>
  );
}

/**
 * Returns the increase from the previous transaction's maximum cost to this one's, such as ` (+25%)`; empty if there
 * is none.
 */
function raiseText(cost: string, before: string | null): string {
  if (before === null || before === '0') return '';
  const percent = (BigInt(cost) * 100n) / BigInt(before) - 100n;
  return percent === 0n ? '' : ` (${percent > 0n ? '+' : '−'}${percent > 0n ? percent : -percent}%)`;
}
