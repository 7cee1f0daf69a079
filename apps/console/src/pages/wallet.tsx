import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { actionsQuery, walletQuery } from '../api/queries.ts';
import { amountText } from '../lib/format.ts';
import { buttonClass } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Card, Empty, Facts, Loading, PageHead } from '../ui/layout.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Id, Time } from '../ui/text.tsx';
import { actionColumns, useRefresh } from './actions.tsx';
import { useUnits } from './wallets.tsx';

const route = getRouteApi('/frame/wallets/$walletId');

export function WalletPage() {
  const { walletId } = route.useParams();
  const wallet = useQuery(walletQuery(walletId));
  const actions = useQuery(actionsQuery({ wallet: walletId }));
  const unitOf = useUnits();
  useRefresh();
  if (wallet.isError) return <ProblemNote error={wallet.error} />;
  if (wallet.isPending) return <Loading />;
  const { balance, walletAddress, ledgerId, keyType, createdAt, aliases } = wallet.data;
  return (
    <>
      <p className="mb-2 text-sm">
        <Link to="/wallets" className="text-ink-2 underline-offset-4 hover:underline">
          Wallets
        </Link>
      </p>
      <PageHead
        title={walletId}
        about={
          <span className="text-lg font-medium text-ink">
            {balance === null ? 'No balance' : amountText(balance, unitOf(ledgerId))}
          </span>
        }
      >
        <Link to="/send" search={{ kind: 'transfer', wallet: walletId }} className={buttonClass('primary')}>
          Send from it
        </Link>
      </PageHead>
      <div className="space-y-5">
        <Card title="Account">
          <Facts
            items={[
              ['Ledger', ledgerId],
              [
                'Address',
                <Id key="address" whole>
                  {walletAddress}
                </Id>,
              ],
              ...(aliases.length === 0 ? [] : ([['Also', aliases.join(', ')]] as const)),
              ['Key', keyType],
              ['Made', <Time key="made" at={createdAt} />],
            ]}
          />
        </Card>
        <Card title="Sent from it" flush>
          {actions.data === undefined ? (
            <Loading />
          ) : (
            <DataTable
              label="Actions of the wallet"
              columns={actionColumns}
              rows={actions.data.actions}
              rowId={({ actionId }) => actionId}
              empty={<Empty title="Nothing was sent from it" />}
            />
          )}
        </Card>
      </div>
    </>
  );
}
