import { amountText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import {
  emittedQuery,
  useAccountName,
  useContractOf,
  useParametersOf,
  useTokenOf,
} from '../../api/action-parts.ts';
import type { ActionDetails } from '../../api/types.ts';
import { balanceChanges, isTokenAmount, type Token } from '../../lib/balance-changes.ts';
import { named } from '../../lib/interface.ts';
import { Card, Loading } from '../../ui/layout.tsx';
import { NameOrId } from '../../ui/names.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Json } from '../../ui/text.tsx';

/** Call, events and balance changes of an action. */
export function Effects({ action }: { action: ActionDetails }) {
  const contract = useContractOf(action);
  const token = useTokenOf(contract);
  const emitted = useQuery(emittedQuery(action));
  const events = emitted.data?.events ?? [];
  return (
    <>
      <Arguments action={action} contract={contract} token={token} />
      <Balances action={action} events={events} token={token} />
      {emitted.isError ? (
        <Card title="Events">
          <ProblemNote error={emitted.error} canRetry />
        </Card>
      ) : null}
      {emitted.isLoading ? (
        <Card title="Events" flush>
          <Loading />
        </Card>
      ) : null}
      {events.length === 0 ? null : (
        <Card title={events.length === 1 ? 'Event' : `${events.length} events`}>
          <ol className="space-y-4">
            {events.map(({ id, name, args, raw }) => (
              <li key={id}>
                <p className="mb-1.5 font-mono text-sm font-medium wrap-anywhere">
                  {name ?? 'Unknown event'}
                </p>
                {args === undefined ? (
                  <Json label="Event in the ledger’s format" value={raw} />
                ) : (
                  <Values
                    label={`Values of ${name ?? 'the event'}`}
                    rows={Object.entries(args).map(([label, value]) => ({ label, value }))}
                    token={name === 'Transfer' || name === 'Approval' ? token : undefined}
                  />
                )}
              </li>
            ))}
          </ol>
        </Card>
      )}
    </>
  );
}

function Arguments({
  action,
  contract,
  token,
}: {
  action: ActionDetails;
  contract: ReturnType<typeof useContractOf>;
  token: Token | undefined;
}) {
  const inputs = useParametersOf(action, contract);
  const given = action.arguments;
  if (given === null || given.length === 0) return null;
  const parameters = named(inputs ?? given.map(() => ({ name: '', type: '' })));
  return (
    <Card title={action.type === 'contract_deploy' ? 'Constructor arguments' : 'Call'}>
      {action.method === null ? null : (
        <p className="mb-3 font-mono text-sm wrap-anywhere">
          {action.names.contract === null ? '' : `${action.names.contract}.`}
          {action.method}
        </p>
      )}
      <Values
        label="Arguments"
        rows={given.map((value, index) => ({
          label: parameters[index]?.name ?? `argument ${index + 1}`,
          type: parameters[index]?.type ?? '',
          value,
        }))}
        token={token}
      />
    </Card>
  );
}

/** Named values. Addresses of wallets are shown by name, and amounts of a token in its unit. */
function Values({
  label,
  rows,
  token,
}: {
  label: string;
  rows: readonly { label: string; type?: string; value: unknown }[];
  token: Token | undefined;
}) {
  const accountName = useAccountName();
  return (
    <table aria-label={label} className="w-full text-sm">
      <tbody>
        {rows.map(({ label: name, type, value }, index) => {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          const wallet = typeof value === 'string' ? accountName(value) : null;
          const isAmount = token !== undefined && isTokenAmount(name) && /^\d+$/.test(text);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the order is that of the interface
            <tr key={`${index} ${name}`} className="border-t border-line first:border-0">
              <th scope="row" className="w-1/3 py-2 pr-4 text-left align-top font-normal text-ink-3">
                {name}
                {type ? <span className="ml-1.5 font-mono text-xs">{type}</span> : null}
              </th>
              <td className="py-2 wrap-anywhere">
                {isAmount ? <span className="block">{amountText(text, token)}</span> : null}
                {wallet === null ? (
                  <span className={`font-mono ${isAmount ? 'text-xs text-ink-3' : 'text-[0.8125rem]'}`}>
                    {text}
                  </span>
                ) : (
                  <NameOrId id={text} name={wallet} />
                )}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Balances({
  action,
  events,
  token,
}: {
  action: ActionDetails;
  events: Parameters<typeof balanceChanges>[1];
  token: Token | undefined;
}) {
  const accountName = useAccountName();
  const changes = balanceChanges(action, events, token);
  if (action.status === 'PENDING' || changes.length === 0) return null;
  return (
    <Card title="Balance changes">
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Account</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {changes.map(({ account, why, amount, unit }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an account may change several times
            <tr key={`${index} ${account}`} className="border-t border-line first:border-0">
              <td className="py-2 pr-4">
                <NameOrId id={account} name={accountName(account)} />
                {why === 'fee' ? <span className="ml-2 text-xs text-ink-3">fee</span> : null}
              </td>
              <td className={`py-2 text-right font-medium ${amount > 0n ? 'text-good' : ''}`}>
                {amount > 0n ? '+' : '−'}
                {amountText(String(amount > 0n ? amount : -amount), unit)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
