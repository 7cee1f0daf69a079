import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { walletsQuery } from '../../api/queries.ts';
import type { FirstValues } from '../../lib/first-values.ts';
import { amountRule, smallestUnit } from '../../lib/format.ts';
import { readRecipient } from '../../lib/recipient.ts';
import { Input } from '../../ui/field.tsx';
import { Suggest } from '../../ui/suggest.tsx';
import { Id } from '../../ui/text.tsx';
import { OperationForm } from './operation-form.tsx';
import type { Sender } from './sender.ts';
import { ExactAmount } from './summary.tsx';

export function TransferForm({ sender, first }: { sender: Sender; first: FirstValues }) {
  const [to, setTo] = useState(first.recipient ?? '');
  const [amount, setAmount] = useState(first.amount ?? '');
  const list = useQuery(walletsQuery()).data;
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
      first={first}
      sender={sender}
      options={options}
      summary={[
        [
          'To',
          recipient?.kind === 'wallet' ? (
            recipient.resource
          ) : (
            <Id key="to" whole>
              {recipient?.resource ?? ''}
            </Id>
          ),
        ],
        ['Amount', <ExactAmount key="amount" of={smallest ?? '0'} unit={unit} />],
      ]}
    >
      <Suggest
        label="To"
        at="/glo/options/recipient"
        required
        placeholder={form?.example ?? ''}
        hint="Choose a wallet, or type an address on the ledger."
        value={to}
        set={setTo}
        options={list?.pageContent
          .filter(({ ledgerId }) => target === undefined || ledgerId === target.wallet.ledgerId)
          .map(({ walletId, walletAddress }) => ({ value: walletId, detail: walletAddress ?? undefined }))}
        error={
          isNobody
            ? `must be the id of a wallet or an address${form === undefined ? '' : ` such as ${form.example}`}`
            : undefined
        }
      />
      <Input
        label={target === undefined ? 'Amount' : amountLabel}
        at="/glo/options/amount"
        required
        inputMode="decimal"
        autoComplete="off"
        value={amount}
        set={setAmount}
        error={
          target !== undefined && amount !== '' && smallest === undefined ? amountRule(decimals) : undefined
        }
      />
    </OperationForm>
  );
}
