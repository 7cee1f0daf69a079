import type { ActionDetails } from '../../api/types.ts';
import { amountText } from '../../lib/format.ts';
import { Card } from '../../ui/layout.tsx';
import { Badge } from '../../ui/status.tsx';
import { Id, Time } from '../../ui/text.tsx';

const kinds = { main: 'The operation', bump: 'The same, higher fee', noop: 'Empty, in its place' };

/** All that was signed for an action, oldest first: one of them stands on the ledger in the end. */
export function Transactions({ action: { attempts, unit } }: { action: ActionDetails }) {
  if (attempts.length === 0) return null;
  return (
    <Card title={attempts.length === 1 ? 'Transaction' : `${attempts.length} transactions`}>
      <ol className="space-y-4">
        {attempts.map((one) => (
          <li key={one.txId} className="rounded-lg border border-line p-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span className="font-medium">{kinds[one.kind]}</span>
              {one.fee === null ? (
                <Badge tone={one.settledAt === null ? 'wait' : 'none'}>
                  {one.settledAt === null ? 'open' : 'over'}
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
                  ? `At most ${amountText(one.maxCost, unit)}`
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
