import { amountText } from '@ledger-ops/client/text';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiProblem, call } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { useSend } from '../../api/send.ts';
import type { Schemas } from '../../api/types.ts';
import { filled } from '../../lib/filled.ts';
import type { FirstValues } from '../../lib/first-values.ts';
import { amountRule, sentenceText, smallestUnit, wordsOf } from '../../lib/format.ts';
import { amountMemberOf, nativeMetaOf } from '../../lib/native-content.ts';
import { nothingSent, sendingFaults, sendingOf } from '../../lib/sending.ts';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { FormErrors } from '../../ui/form-errors.tsx';
import { Card, Facts } from '../../ui/layout.tsx';
import { ProblemNote } from '../../ui/problem.tsx';
import { Json } from '../../ui/text.tsx';
import { NativeFields } from './native-fields.tsx';
import type { Sender } from './sender.ts';
import { SendingFields } from './sending-fields.tsx';
import { ExactAmount } from './summary.tsx';
import { UnansweredNote } from './unanswered-note.tsx';
import { useFix } from './use-fix.ts';
import { WalletChoice } from './wallet-choice.tsx';

/** An operation and its wallet, as both the trial run and the send request contain them. */
interface Operation {
  readonly glo: object;
  readonly walletId: string;
}

interface Trial extends Operation {
  readonly walletPassword: string;
}

const isSame = (one: object | undefined, other: object | undefined) =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);

/**
 * Whether the service rejected the operation itself, which means that sending it would fail in the same way.
 */
const isRejected = (error: unknown) =>
  error instanceof ApiProblem && error.problem.status < 500 && ![401, 429].includes(error.problem.status);

/**
 * Fields that every operation has, and the buttons that try and send it. The request is built from the rendered state,
 * so it never contains values of a previous wallet or of an outdated response.
 */
export function OperationForm({
  type,
  first,
  sender: { walletId, choose, target, error },
  options,
  registration,
  summary,
  children,
}: {
  type: 'transfer' | 'contract_call' | 'contract_deploy';
  /** Values of an earlier action, if the form sends it again. */
  first: Pick<FirstValues, 'fix' | 'tag'>;
  sender: Sender;
  /** The operation's options; undefined if a field is missing or invalid. */
  options: object | undefined;
  /** The name of the contract that a deployment creates. */
  registration?: { readonly name: string } | undefined;
  /** Rows of the summary: label and content. */
  summary: readonly (readonly [string, ReactNode])[];
  children: ReactNode;
}) {
  const navigate = useNavigate();
  const [walletPassword, setWalletPassword] = useState('');
  const [sending, setSending] = useState({ ...nothingSent, tag: first.tag ?? '' });
  // Native content that the user entered for one technology. If the target has another technology, the form hides it.
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
          glo: { version: '0.1.0', type, options, ...filled({ meta }) },
          walletId: target.wallet.walletId,
        };
  const tried = useMutation({
    mutationFn: ({ walletPassword, ...given }: Trial) =>
      call<Schemas['Emulated']>('POST', '/v1/ledger-ops/emulate', {
        body: { ...given, ...filled({ walletPassword }) },
      }),
  });
  const trial = operation === undefined ? undefined : { ...operation, walletPassword };
  /** The request body without the password. */
  const content =
    operation === undefined
      ? undefined
      : { ...operation, ...filled({ registration }), ...sendingOf(sending) };
  const [refused, setRefused] = useState<Trial>();
  const sent = useSend(async ({ actionId }) => {
    await queries.invalidateQueries({ queryKey: ['actions'] });
    await navigate({ to: '/actions/$actionId', params: { actionId } });
  });
  const triedError = tried.isError && isSame(tried.variables, trial) ? tried.error : null;
  const sentError = sent.isError && isSame(refused, trial) ? sent.error : null;
  const isRefused = isRejected(triedError);
  return (
    <form
      ref={useFix(first.fix)}
      className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_22rem]"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (trial === undefined || content === undefined || isRefused) return;
        setRefused(trial);
        sent.mutate({ ...content, walletPassword });
      }}
    >
      <FormErrors error={sentError ?? triedError}>
        <Card>
          <div className="space-y-4">
            <WalletChoice
              label="From the wallet"
              walletId={walletId}
              choose={(chosen) => {
                // The password belongs to the previous wallet.
                if (chosen !== walletId) setWalletPassword('');
                choose(chosen);
              }}
            />
            {error === null ? null : <ProblemNote error={error} canRetry />}
            {children}
            {amountMember === undefined || unit === null ? null : (
              <Input
                label={`Amount in ${unit.symbol} to send with the operation`}
                at={`/glo/meta/ledger/${technology?.name}/native_transaction_content/${amountMember}`}
                hint="Leave empty for none."
                inputMode="decimal"
                autoComplete="off"
                value={along}
                set={setAlong}
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
              <p className="text-sm text-ink-2">A summary appears here once the form is complete.</p>
            ) : (
              <Facts
                items={[
                  ['From', target.wallet.walletId],
                  ...summary,
                  ...(amountAlong === undefined
                    ? []
                    : [['Amount sent', <ExactAmount key="along" of={amountAlong} unit={unit} />] as const]),
                  ['Ledger', target.ledger.name],
                  ...Object.entries(texts).flatMap(([name, text]) =>
                    text === '' ? [] : [[sentenceText(wordsOf(name)), text] as const],
                  ),
                ]}
              />
            )}
            <div>
              <Button
                className="w-full"
                disabled={operation === undefined}
                busy={tried.isPending}
                onClick={() => {
                  // The result of the dry run replaces the error of the last attempt.
                  setRefused(undefined);
                  if (trial !== undefined) tried.mutate(trial);
                }}
              >
                Dry run
              </Button>
              <div aria-live="polite" className="*:mt-3">
                {triedError === null ? null : <ProblemNote error={triedError} />}
                {tried.data !== undefined && isSame(tried.variables, trial) ? (
                  <Tried tried={tried.data} unit={unit} />
                ) : null}
              </div>
            </div>
            <Input
              label="Password of the wallet"
              at="/walletPassword"
              type="password"
              autoComplete="off"
              required
              value={walletPassword}
              set={setWalletPassword}
            />
            {sentError === null ? null : <ProblemNote error={sentError} />}
            {content === undefined || sent.isPending ? null : <UnansweredNote content={content} />}
            <Button
              type="submit"
              data-at="send"
              look="primary"
              className="w-full"
              disabled={operation === undefined || isRefused || Object.keys(faults).length > 0}
              busy={sent.isPending}
            >
              Send
            </Button>
            {isRefused ? (
              <p className="text-xs text-ink-2">
                Sending this operation would fail too. Change it, or repeat the dry run.
              </p>
            ) : null}
          </div>
        </Card>
      </FormErrors>
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
      <p className="font-medium text-good">The operation would succeed.</p>
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
