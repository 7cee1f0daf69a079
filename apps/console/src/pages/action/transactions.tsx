import { amountText } from '@ledger-ops/client/text';
import type { ActionDetails } from '../../api/types.ts';
import { Card } from '../../ui/layout.tsx';
import { Badge } from '../../ui/status.tsx';
import { Id, Time } from '../../ui/text.tsx';

const kinds = {
  main: 'The operation',
  bump: 'Replacement with a higher fee',
  noop: 'Empty replacement with the same nonce',
};

/** All transactions signed for an action, oldest first. At most one of them is executed. */
export function Transactions({ action: { attempts, unit } }: { action: ActionDetails }) {
  if (attempts.length === 0) return null;
  return (
    <Card title={attempts.length === 1 ? 'Transaction' : `${attempts.length} transactions`}>
      <ol className="space-y-4">
        {attempts.map((one, index) => (
          <li key={one.txId} className="rounded-lg border border-line p-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">
                {one.kind === 'noop' && one.sequence === null ? 'Empty replacement' : kinds[one.kind]}
              </span>
              {one.fee === null ? (
                <Badge tone={one.settledAt === null ? 'wait' : 'none'}>
                  {one.settledAt === null ? 'pending' : 'not executed'}
                </Badge>
              ) : (
                <Badge tone="good">on the ledger</Badge>
              )}
            </div>
            <div className="mt-1">
              <Id>{one.txId}</Id>
            </div>
            <p className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-2">
              <span>
                Signed <Time at={one.at} />
              </span>
              {one.sequence === null ? null : <span>Nonce {one.sequence}</span>}
              {one.blockHeight === null ? null : <span>Block {one.blockHeight.toLocaleString()}</span>}
              <span>
                {one.fee === null
                  ? `At most ${amountText(one.maxCost, unit)}${raiseText(one.maxCost, attempts[index - 1]?.maxCost)}`
                  : `Fee ${amountText(one.fee, unit)}`}
              </span>
            </p>
            {one.reason === null ? null : <p className="mt-2 text-sm wrap-anywhere">{one.reason}</p>}
          </li>
        ))}
      </ol>
    </Card>
  );
}

/** How much more than the previous transaction this one may cost: ` (+25%)`. */
function raiseText(cost: string, before: string | undefined): string {
  if (before === undefined || before === '0') return '';
  const percent = (BigInt(cost) * 100n) / BigInt(before) - 100n;
  return percent === 0n ? '' : ` (${percent > 0n ? '+' : '−'}${percent > 0n ? percent : -percent}%)`;
}
