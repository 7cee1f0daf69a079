import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { walletsQuery } from '../../api/queries.ts';
import { amountRule, smallestUnit } from '../../lib/format.ts';
import { readRecipient } from '../../lib/recipient.ts';
import { Input } from '../../ui/field.tsx';
import { Id } from '../../ui/text.tsx';
import { OperationForm } from './operation-form.tsx';
import type { Sender } from './sender.ts';
import { ExactAmount } from './summary.tsx';

export function TransferForm({ sender }: { sender: Sender }) {
  const [to, setTo] = useState('');
  const [amount, setAmount] = useState('');
  const list = useQuery(walletsQuery()).data;
  const id = useId();
  const { target } = sender;
  const unit = target?.technology?.unit ?? null;
  const amountLabel = unit === null ? 'Amount in the smallest unit' : `Amount in ${unit.symbol}`;
  const decimals = unit?.decimals ?? 0;
  const smallest = target === undefined ? undefined : smallestUnit(amount, decimals);
  const form = target?.technology?.addresses?.account;
  const recipient =
    target === undefined || list === undefined
      ? undefined
      : readRecipient(
          to,
          {
            walletIds: list.pageContent.map(({ walletId }) => walletId),
            isComplete: list.totalElements <= list.pageContent.length,
          },
          form,
        );
  const lookup_service =
    recipient?.kind === 'wallet'
      ? { type: 'service', value: 'service' }
      : { type: 'ledger', value: target?.ledger.technology };
  const options =
    recipient === undefined || smallest === undefined
      ? undefined
      : { recipient: { lookup_service, resource: recipient.resource }, amount: smallest };
  const isNobody = target !== undefined && list !== undefined && to !== '' && recipient === undefined;
  return (
    <OperationForm
      type="transfer"
      sender={sender}
      options={options}
      summary={[
        [
          'To',
          recipient?.kind === 'wallet' ? (
            `the wallet ${recipient.resource}`
          ) : (
            <Id key="to" whole>
              {recipient?.resource ?? ''}
            </Id>
          ),
        ],
        ['Amount', <ExactAmount key="amount" of={smallest ?? '0'} unit={unit} />],
      ]}
    >
      <Input
        label="To"
        required
        list={id}
        placeholder={form?.example ?? ''}
        hint="A wallet, or an address on the ledger."
        value={to}
        onChange={({ target: { value } }) => setTo(value.trim())}
        error={
          isNobody
            ? `is no wallet here, and no address${form === undefined ? '' : ` such as ${form.example}`}`
            : undefined
        }
      />
      <datalist id={id}>
        {list?.pageContent.map(({ walletId }) => (
          <option key={walletId} value={walletId} />
        ))}
      </datalist>
      <Input
        label={target === undefined ? 'Amount' : amountLabel}
        required
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        onChange={({ target: { value } }) => setAmount(value)}
        error={
          target !== undefined && amount !== '' && smallest === undefined ? amountRule(decimals) : undefined
        }
      />
    </OperationForm>
  );
}
