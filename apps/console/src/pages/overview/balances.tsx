import { amountText } from '@ledger-ops/client/text';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { actionsQuery, walletQuery } from '../../api/queries.ts';
import { coveredIfLow } from '../../lib/low-balance.ts';
import { Card } from '../../ui/layout.tsx';

/** Maximum number of wallets whose balances are read: those that sent most recently. Each read queries a node. */
const mostWallets = 5;

/**
 * Balances of the wallets that sent the newest actions. Shows only wallets whose balance covers few more such
 * actions.
 */
export function LowBalances({ size }: { size: number }) {
  const newest = useQuery(actionsQuery({}, size)).data?.actions ?? [];
  const byWallet = [...Map.groupBy(newest, ({ walletId }) => walletId)].slice(0, mostWallets);
  const wallets = useQueries({
    queries: byWallet.map(([walletId]) => ({
      ...walletQuery(walletId),
      refetchInterval: 60_000,
      staleTime: 60_000,
    })),
  });
  const low = byWallet.flatMap(([walletId, actions], index) => {
    const balance = wallets[index]?.data?.balance;
    const covered = balance == null ? undefined : coveredIfLow(balance, actions);
    return balance == null || covered === undefined
      ? []
      : [{ walletId, balance, covered, unit: actions[0]?.unit ?? null }];
  });
  if (low.length === 0) return null;
  return (
    <Card title="Low balances">
      <ul className="space-y-2 text-sm">
        {low.map(({ walletId, balance, covered, unit }) => (
          <li key={walletId}>
            <div className="flex justify-between gap-2">
              <Link
                to="/wallets/$walletId"
                params={{ walletId }}
                className="min-w-0 font-medium wrap-anywhere underline-offset-4 hover:underline"
              >
                {walletId}
              </Link>
              <span className="wrap-anywhere tabular-nums">{amountText(balance, unit)}</span>
            </div>
            <p className="text-xs text-wait">
              {covered === 0
                ? 'Not enough for another action like its last ones.'
                : `Enough for about ${covered} more actions like its last ones.`}
            </p>
          </li>
        ))}
      </ul>
    </Card>
  );
}
