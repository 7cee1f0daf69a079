import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { walletsQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { Choice } from '../../ui/field.tsx';
import { useLedgerName } from '../../ui/names.tsx';
import { Suggest } from '../../ui/suggest.tsx';

/** Selects a wallet from a list, or by its id if there are more wallets than the list contains. */
export function WalletChoice({
  label,
  walletId,
  choose,
}: {
  label: string;
  walletId: string;
  choose: (walletId: string) => void;
}) {
  const list = useQuery(walletsQuery()).data;
  const ledgerName = useLedgerName();
  if (list !== undefined && list.totalElements > list.pageContent.length) {
    return <WalletById label={label} list={list} walletId={walletId} choose={choose} />;
  }
  return (
    <Choice
      label={label}
      at="/walletId"
      value={walletId}
      hint={
        list?.totalElements === 0 ? (
          <>
            You have no wallets yet:{' '}
            <Link to="/wallets" className="underline">
              create a wallet
            </Link>{' '}
            first.
          </>
        ) : undefined
      }
      set={choose}
      options={list?.pageContent.map((one) => [
        one.walletId,
        `${one.walletId} · ${ledgerName(one.ledgerId)}`,
      ])}
    />
  );
}

function WalletById({
  label,
  list: { pageContent, totalElements },
  walletId,
  choose,
}: {
  label: string;
  list: Schemas['WalletPage'];
  walletId: string;
  choose: (walletId: string) => void;
}) {
  const [typed, setTyped] = useState(walletId);
  const ledgerName = useLedgerName();
  return (
    <Suggest
      label={label}
      at="/walletId"
      required
      hint={`Id of the wallet. The first ${pageContent.length} of ${totalElements.toLocaleString()} are suggested.`}
      value={typed}
      set={(text) => {
        setTyped(text);
        // An id that is not in the list is used only when it is complete (on blur). Until then, no wallet is
        // chosen.
        choose(pageContent.some((one) => one.walletId === text) ? text : '');
      }}
      onBlur={() => choose(typed)}
      options={pageContent.map((one) => ({ value: one.walletId, detail: ledgerName(one.ledgerId) }))}
    />
  );
}
