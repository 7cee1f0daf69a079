import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { call, get, path } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Card } from '../../ui/layout.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Id, Time } from '../../ui/text.tsx';

type Unknown = Schemas['UnknownTransaction'];

/** Transactions that the ledger shows and that are not stored here, next to the actions that they match. */
export function UnknownTransactions({ walletId }: { walletId: string }) {
  const { data } = useQuery({
    queryKey: ['unknown-transactions', walletId],
    queryFn: ({ signal }) =>
      get<Schemas['UnknownTransactions']>(
        path`/v1/cloud-wallet/wallets/${walletId}/unknown-transactions`,
        {},
        signal,
      ),
  });
  const { transactions, notCompared } = data ?? { transactions: [], notCompared: null };
  if (transactions.length === 0) return notCompared === null ? null : <NotCompared reason={notCompared} />;
  return (
    <Card title="Unknown transactions">
      <p className="mb-3 text-sm text-ink-2">
        The ledger shows these transactions of the wallet, but they are not stored here. Either the database
        was set back, or the key signs elsewhere too. Mark the actions that they executed, then resume the
        wallet.
      </p>
      <ul aria-label="Unknown transactions" className="space-y-3">
        {transactions.map((one) => (
          <Row key={one.sequence ?? one.txId} unknown={one} />
        ))}
      </ul>
    </Card>
  );
}

/** The wallet signs nevertheless: its nodes may stay as they are. */
function NotCompared({ reason }: { reason: string }) {
  return (
    <Card title="Not compared with the ledger">
      <p className="text-sm text-ink-2">
        The ledger may show transactions of this wallet that are not stored here. {reason}
      </p>
    </Card>
  );
}

function Row({ unknown: { sequence, txId, foundAt, matches } }: { unknown: Unknown }) {
  return (
    <li className="text-sm">
      <p className="wrap-anywhere">
        {sequence === null ? null : `Nonce ${sequence}: `}
        {txId === null ? 'the transaction is not known' : <Id whole>{txId}</Id>}, found <Time at={foundAt} />
      </p>
      {matches.length === 0 ? <p className="text-ink-2">No pending action matches it.</p> : null}
      {txId === null
        ? null
        : matches.map((actionId) => <Match key={actionId} actionId={actionId} txId={txId} />)}
    </li>
  );
}

function Match({ actionId, txId }: { actionId: string; txId: string }) {
  return (
    <p className="flex flex-wrap items-center gap-3">
      <span>
        Matches the action{' '}
        <Link to="/actions/$actionId" params={{ actionId }} className="underline underline-offset-4">
          {actionId}
        </Link>
      </span>
      <Permitted permission="wallet:update">
        <ConfirmButton
          label="Mark as executed"
          name={`Mark ${actionId} as executed`}
          title="Mark the action as executed?"
          about="The action ends as this transaction did, and is not signed again."
          confirm="Mark as executed"
          send={() => call('POST', path`/v1/ledger-ops/actions/${actionId}/executed`, { body: { txId } })}
          done={async () => {
            await queries.invalidateQueries({ queryKey: ['unknown-transactions'] });
            await queries.invalidateQueries({ queryKey: ['actions'] });
          }}
        />
      </Permitted>
    </p>
  );
}
