import { amountText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useProject } from '../api/access.ts';
import { actionsQuery, walletQuery } from '../api/queries.ts';
import { validityText } from '../lib/format.ts';
import { buttonClass } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { Card, Empty, Facts, Loading, PageHead, Up } from '../ui/layout.tsx';
import { Unread } from '../ui/record.tsx';
import { exact, Id, Time, useNow } from '../ui/text.tsx';
import { actionColumns, useRefresh } from './actions.tsx';
import { SuspensionBanners } from './overview/suspensions.tsx';
import { ExclusiveButton } from './wallet/exclusive.tsx';
import { ExportButton } from './wallet/export.tsx';
import { PasswordButton } from './wallet/password.tsx';
import { UnknownTransactions } from './wallet/unknown-transactions.tsx';
import { useUnits } from './wallets.tsx';

const route = getRouteApi('/frame/wallets/$walletId');

const up = <Up to="/wallets">Wallets</Up>;

export function WalletPage() {
  const { walletId } = route.useParams();
  const wallet = useQuery(walletQuery(walletId));
  const actions = useQuery(actionsQuery({ wallet: walletId }));
  const unitOf = useUnits();
  const project = useProject();
  const now = useNow();
  useRefresh();
  if (wallet.data === undefined) return <Unread key={walletId} error={wallet.error} name="wallet" up={up} />;
  const { balance, walletAddress, ledgerId, keyType, exclusive, createdAt, aliases, certificate } =
    wallet.data;
  const unit = unitOf(ledgerId);
  return (
    <>
      {up}
      <PageHead
        title={walletId}
        about={
          <span className="text-lg font-medium text-ink">
            {balance === null ? 'This ledger has no native currency' : null}
            {balance === null || unit === undefined ? null : amountText(balance, unit)}
          </span>
        }
      >
        <PasswordButton walletId={walletId} />
        {keyType === 'remote' ? null : <ExclusiveButton walletId={walletId} exclusive={exclusive} />}
        {keyType === 'remote' ? null : <ExportButton walletId={walletId} />}
        <Link to="/send" search={{ kind: 'transfer', wallet: walletId }} className={buttonClass('primary')}>
          Send
        </Link>
      </PageHead>
      <SuspensionBanners
        concerns={(one) =>
          // The card of unknown transactions already shows a suspension that they caused.
          (one.walletId === walletId && one.cause !== 'unknown-transactions') ||
          one.ledgerId === ledgerId ||
          (one.projectId !== undefined && one.projectId === project?.projectId)
        }
      />
      <div className="space-y-5">
        <UnknownTransactions walletId={walletId} />
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
              ...(aliases.length === 0 ? [] : ([['Aliases', aliases.join(', ')]] as const)),
              ...(certificate === null
                ? []
                : ([
                    ['Certificate', validityText(certificate.expiresAt, exact(certificate.expiresAt), now)],
                  ] as const)),
              ['Key type', keyType],
              ['Only this service signs', exclusive ? 'Yes' : 'No'],
              ['Created', <Time key="made" at={createdAt} />],
            ]}
          />
        </Card>
        <Card
          title="Newest actions"
          flush
          aside={
            <Link
              to="/actions"
              search={{ wallet: walletId }}
              className="text-sm font-medium text-accent underline-offset-4 hover:underline"
            >
              All actions
            </Link>
          }
        >
          {actions.data === undefined ? (
            <Loading />
          ) : (
            <DataTable
              label="Actions of the wallet"
              columns={actionColumns}
              rows={actions.data.actions}
              rowId={({ actionId }) => actionId}
              empty={<Empty title="Nothing sent yet">Operations sent from this wallet appear here.</Empty>}
            />
          )}
        </Card>
      </div>
    </>
  );
}
