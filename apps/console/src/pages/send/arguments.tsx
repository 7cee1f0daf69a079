import { useQuery } from '@tanstack/react-query';
import { type ComponentProps, useState } from 'react';
import { walletsQuery } from '../../api/queries.ts';
import { argumentFault, argumentForm, isAccount } from '../../lib/arguments.ts';
import { isTokenAmount, type Token } from '../../lib/balance-changes.ts';
import { amountRule, smallestUnit } from '../../lib/format.ts';
import type { Parameter } from '../../lib/interface.ts';
import { shownNumber } from '../../lib/unit.ts';
import { Input, Select, TextArea } from '../../ui/field.tsx';
import { Suggest } from '../../ui/suggest.tsx';

/** One string per parameter, as the user entered it. */
function argumentsOf(parameters: readonly Parameter[], values: readonly string[]): string[] {
  return parameters.map((_, index) => values[index] ?? '');
}

/** Returns the arguments as the user entered them; undefined if one of them is invalid. */
export function soundArguments(
  parameters: readonly Parameter[],
  values: readonly string[],
): string[] | undefined {
  const given = argumentsOf(parameters, values);
  return parameters.every(({ type }, index) => argumentFault(type, given[index] ?? '') === undefined)
    ? given
    : undefined;
}

export function Arguments({
  parameters,
  values,
  ledgerId,
  token,
  change,
}: {
  parameters: readonly Parameter[];
  values: readonly string[];
  /** Ledger whose wallets are suggested in fields for accounts. Undefined until one is chosen. */
  ledgerId: string | undefined;
  /** The contract's token, if it has one: amounts are typed in the token's unit. */
  token?: Token | undefined;
  change: (values: readonly string[]) => void;
}) {
  const given = argumentsOf(parameters, values);
  return parameters.map(({ name, type }, index) => (
    <Argument
      // Parameter names may repeat. Their order comes from the interface.
      // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change while its method is chosen
      key={`${index} ${name}`}
      index={index}
      name={name}
      type={type}
      value={given[index] ?? ''}
      ledgerId={ledgerId}
      token={isTokenAmount(name) ? token : undefined}
      set={(text) => change(given.with(index, text))}
    />
  ));
}

function Argument({
  index,
  name,
  type,
  value,
  ledgerId,
  token,
  set,
}: Parameter & {
  index: number;
  value: string;
  ledgerId: string | undefined;
  token: Token | undefined;
  set: (text: string) => void;
}) {
  const form = argumentForm(type);
  const about = { label: name, hint: hintOf(type), value, at: `/glo/options/args/${index}` };
  const error = value === '' ? undefined : argumentFault(type, value);
  if (form === 'integer' && token !== undefined)
    return (
      <TokenAmount {...about} label={`${name} in ${token.symbol}`} hint={undefined} token={token} set={set} />
    );
  if (form === 'boolean') {
    return (
      <Select {...about} required set={set}>
        <option value="">Choose…</option>
        <option value="true">true</option>
        <option value="false">false</option>
      </Select>
    );
  }
  if (form === 'json') {
    return <TextArea {...about} required rows={2} placeholder="JSON" error={error} set={set} />;
  }
  if (isAccount(type)) return <Account {...about} error={error} ledgerId={ledgerId} set={set} />;
  return (
    <Input
      {...about}
      {...(form === 'integer' ? { inputMode: 'numeric' as const, required: true } : {})}
      autoComplete="off"
      error={error}
      set={set}
    />
  );
}

/** An account on the ledger. Suggests the addresses of the project's wallets. */
function Account({
  ledgerId,
  ...field
}: Omit<ComponentProps<typeof Suggest>, 'options'> & { ledgerId: string | undefined }) {
  const wallets = useQuery(walletsQuery()).data?.pageContent;
  const options = wallets?.flatMap(({ walletId, walletAddress, ledgerId: of }) =>
    walletAddress && (ledgerId === undefined || of === ledgerId)
      ? [{ value: walletAddress, name: walletId }]
      : [],
  );
  return <Suggest {...field} options={options} />;
}

/** An amount in the token's unit. Its value is in the smallest unit; empty if the entered text is not an amount. */
function TokenAmount({
  value,
  token,
  set,
  ...about
}: {
  label: string;
  hint: undefined;
  at: string;
  value: string;
  token: Token;
  set: (text: string) => void;
}) {
  const unit = { name: token.symbol, decimals: token.decimals };
  const [typed, setTyped] = useState(() => shownNumber(value, unit));
  const isWrong = typed !== '' && smallestUnit(typed, token.decimals) === undefined;
  return (
    <Input
      {...about}
      required
      inputMode="decimal"
      autoComplete="off"
      value={typed}
      error={isWrong ? amountRule(token.decimals) : undefined}
      set={(text) => {
        setTyped(text);
        set(smallestUnit(text, token.decimals) ?? '');
      }}
    />
  );
}

/** The type, and a hint for numbers, because contracts do not declare decimals. */
function hintOf(type: string): string {
  return /^u?int\d*$/.test(type)
    ? `${type}: a whole number. For a token, in its smallest unit: with 18 decimals, 1 token is 1 followed by 18 zeros.`
    : type;
}
