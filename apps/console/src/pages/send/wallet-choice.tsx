import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { walletsQuery } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { Input, Select } from '../../ui/field.tsx';

/** Asks for a wallet: one of a list, or where there are more than a list has, by its id. */
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
  if (list !== undefined && list.totalElements > list.pageContent.length) {
    return <WalletById label={label} list={list} walletId={walletId} choose={choose} />;
  }
  return (
    <Select
      label={label}
      required
      value={walletId}
      hint={
        list?.totalElements === 0 ? (
          <>
            There is none yet:{' '}
            <Link to="/wallets" className="underline">
              create a wallet
            </Link>{' '}
            first.
          </>
        ) : undefined
      }
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">Choose…</option>
      {list?.pageContent.map((one) => (
        <option key={one.walletId} value={one.walletId}>
          {one.walletId} · {one.ledgerId}
        </option>
      ))}
    </Select>
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
  const id = useId();
  const [typed, setTyped] = useState(walletId);
  return (
    <>
      <Input
        label={label}
        required
        list={id}
        autoComplete="off"
        hint={`Its id. The first ${pageContent.length} of ${totalElements.toLocaleString()} are suggested.`}
        value={typed}
        onChange={({ target: { value } }) => {
          setTyped(value.trim());
          // Of others it is asked when they are whole; until then none is chosen.
          choose(pageContent.some((one) => one.walletId === value) ? value : '');
        }}
        onBlur={() => choose(typed)}
      />
      <datalist id={id}>
        {pageContent.map((one) => (
          <option key={one.walletId} value={one.walletId}>
            {one.ledgerId}
          </option>
        ))}
      </datalist>
    </>
  );
}
