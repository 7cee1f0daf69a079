import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../api/client.ts';
import { useCreation } from '../../api/create.ts';
import { queries } from '../../api/queries.ts';
import type { Schemas } from '../../api/types.ts';
import { amountRule, amountText, smallestUnit } from '../../lib/format.ts';
import { amountMemberOf, nativeMetaOf } from '../../lib/native-content.ts';
import { nothingSent, sendingFaults, sendingOf } from '../../lib/sending.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { Card, Facts } from '../../ui/layout.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Json } from '../../ui/text.tsx';
import { NativeFields } from './native-fields.tsx';
import type { Sender } from './sender.ts';
import { SendingFields } from './sending-fields.tsx';
import { ExactAmount } from './summary.tsx';
import { WalletChoice } from './wallet-choice.tsx';

/** An operation and the wallet that it is of, as both requests have them. */
interface Operation {
  readonly glo: object;
  readonly walletId: string;
}

const isSame = (one: Operation | undefined, other: Operation | undefined) =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);

/**
 * Asks for what every operation has, tries and sends it. All that is sent is made of what is shown as it is drawn, so that
 * neither a change of the wallet nor an answer that comes late leaves something of before in it.
 */
export function OperationForm({
  type,
  sender: { walletId, choose, target, error },
  options,
  summary,
  children,
}: {
  type: 'transfer' | 'contract_call' | 'contract_deploy';
  sender: Sender;
  /** Of the operation; undefined: something is missing or wrong. */
  options: object | undefined;
  /** The same for people. */
  summary: readonly (readonly [string, ReactNode])[];
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const [walletPassword, setWalletPassword] = useState('');
  const [sending, setSending] = useState(nothingSent);
  // Of one technology; those of another are not shown.
  const [native, setNative] = useState<{ of: string; texts: Readonly<Record<string, string>> }>();
  const technology = target?.technology;
  const texts = native !== undefined && native.of === technology?.name ? native.texts : {};
  const [along, setAlong] = useState('');
  const unit = technology?.unit ?? null;
  const amountMember = technology === undefined ? undefined : amountMemberOf(technology, type);
  const isAlong = amountMember !== undefined && along !== '';
  const amountAlong = isAlong ? smallestUnit(along, unit?.decimals ?? 0) : undefined;
  const more = amountMember === undefined || amountAlong === undefined ? {} : { [amountMember]: amountAlong };
  const meta = technology === undefined ? undefined : nativeMetaOf(technology, type, texts, more);
  const faults = sendingFaults(sending, Date.now());
  const operation: Operation | undefined =
    target === undefined || options === undefined || meta === null || (isAlong && amountAlong === undefined)
      ? undefined
      : {
          glo: { version: '0.1.0', type, options, ...(meta === undefined ? {} : { meta }) },
          walletId: target.wallet.walletId,
        };
  const tried = useMutation({
    mutationFn: (given: Operation) =>
      call<Schemas['Emulated']>('POST', '/v1/ledger-ops/emulate', {
        body: { ...given, ...(walletPassword === '' ? {} : { walletPassword }) },
      }),
  });
  const [refused, setRefused] = useState<Operation>();
  const sent = useCreation<Schemas['ActionCreated']>('/v1/ledger-ops/send', async ({ actionId }) => {
    await queries.invalidateQueries({ queryKey: ['actions'] });
    await navigate({ to: '/actions/$actionId', params: { actionId } });
  });
  return (
    <form
      className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (operation === undefined) return;
        setRefused(operation);
        sent.mutate({ ...operation, walletPassword, ...sendingOf(sending) });
      }}
    >
      <Card>
        <div className="space-y-4">
          <WalletChoice
            label="From the wallet"
            walletId={walletId}
            choose={(chosen) => {
              // It is the password of one wallet.
              if (chosen !== walletId) setWalletPassword('');
              choose(chosen);
            }}
          />
          {error === null ? null : <ProblemNote error={error} canRetry />}
          {children}
          {amountMember === undefined || unit === null ? null : (
            <Input
              label={`Amount in ${unit.symbol}, sent along`}
              hint="Left empty: none."
              inputMode="decimal"
              autoComplete="off"
              value={along}
              onChange={({ target: { value } }) => setAlong(value)}
              error={isAlong && amountAlong === undefined ? amountRule(unit.decimals) : undefined}
            />
          )}
          {technology === undefined ? null : (
            <NativeFields
              key={technology.name}
              technology={technology}
              type={type}
              texts={texts}
              change={(next) => setNative({ of: technology.name, texts: next })}
            />
          )}
          <SendingFields texts={sending} faults={faults} change={setSending} />
        </div>
      </Card>
      <Card title="Try, then send" className="lg:sticky lg:top-8">
        <div className="space-y-4">
          {operation === undefined || target === undefined ? (
            <p className="text-sm text-ink-2">What is sent stands here once it is complete.</p>
          ) : (
            <Facts
              items={[
                ['From', `the wallet ${target.wallet.walletId}`],
                ...summary,
                ...(amountAlong === undefined
                  ? []
                  : [['Sent along', <ExactAmount key="along" of={amountAlong} unit={unit} />] as const]),
                ['Ledger', target.ledger.name],
                ...Object.entries(texts).filter(([, text]) => text !== ''),
              ]}
            />
          )}
          <div>
            <Button
              className="w-full"
              disabled={operation === undefined}
              busy={tried.isPending}
              onClick={() => (operation === undefined ? undefined : tried.mutate(operation))}
            >
              Dry run
            </Button>
            <div aria-live="polite" className="*:mt-3">
              {tried.isError && isSame(tried.variables, operation) ? (
                <ProblemNote error={tried.error} />
              ) : null}
              {tried.data !== undefined && isSame(tried.variables, operation) ? (
                <Tried tried={tried.data} unit={unit} />
              ) : null}
            </div>
          </div>
          <Input
            label="Password of the wallet"
            type="password"
            autoComplete="off"
            required
            value={walletPassword}
            onChange={({ target: { value } }) => setWalletPassword(value)}
          />
          {sent.isError && isSame(refused, operation) ? <ProblemNote error={sent.error} /> : null}
          <Button
            type="submit"
            look="primary"
            className="w-full"
            disabled={operation === undefined || Object.keys(faults).length > 0}
            busy={sent.isPending}
          >
            Send
          </Button>
        </div>
      </Card>
    </form>
  );
}

function Tried({
  tried: { result, fee, warnings },
  unit,
}: {
  tried: Schemas['Emulated'];
  unit: Schemas['CurrencyUnit'];
}) {
  return (
    <div className="space-y-2 rounded-lg bg-good-soft p-4 text-sm">
      <p className="font-medium text-good">It would go through.</p>
      {fee === null ? null : <p>Fee: about {amountText(fee, unit)}</p>}
      {warnings.map((text) => (
        <p key={text} className="wrap-anywhere">
          {text}
        </p>
      ))}
      {result === null || result === undefined ? null : <Json label="Result of the dry run" value={result} />}
    </div>
  );
}
