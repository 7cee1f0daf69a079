import type { Schemas } from '../api/types.ts';

type Unit = Schemas['CurrencyUnit'];

/** An amount in the smallest unit, as people write it: `0.01 ETH`. */
export function amountText(amount: string, unit: Unit | null): string {
  if (unit === null) return amount;
  const { symbol, decimals } = unit;
  const digits = amount.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
  const part = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${whole}${part === '' ? '' : `.${part}`} ${symbol}`;
}

/** The same with six digits of a fraction at most, of what is below one after its zeros; `…`: there are more. */
export function shortAmountText(amount: string, unit: Unit | null): string {
  const text = amountText(amount, unit);
  const [, whole, part = '', symbol] = /^([\d ]+)[.](\d+)(.*)$/.exec(text) ?? [];
  const kept = 6 + (whole === '0' ? part.search(/[1-9]/) : 0);
  return part.length <= kept ? text : `${whole}.${part.slice(0, kept)}…${symbol}`;
}

/** An amount that people write, in the smallest unit; undefined: it is none. */
export function smallestUnit(text: string, decimals: number): string | undefined {
  const [, whole, part = ''] = /^(\d+)(?:[.](\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || part.length > decimals) return undefined;
  return BigInt(whole + part.padEnd(decimals, '0')).toString();
}

/** How an amount is written that {@link smallestUnit} takes. */
export function amountRule(decimals: number): string {
  return decimals === 0
    ? 'must be a whole number, such as 1500'
    : `must be a number such as 1500.5, with at most ${decimals} decimals`;
}

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `3.2 s`, `4 min`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  for (const [size, name] of units) {
    if (milliseconds >= size) {
      const value = milliseconds / size;
      return `${value < 10 && size < 86_400_000 ? value.toFixed(1) : Math.floor(value)} ${name}`;
    }
  }
  return '';
}

/** `2 min ago`, and for what is long past its day. */
export function agoText(at: string, now: number): string {
  const passed = now - Date.parse(at);
  if (passed < 2_000) return 'just now';
  if (passed < 7 * 86_400_000) return `${durationText(passed).replace(/[.]\d/, '')} ago`;
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' });
}

/** `0x1234…cdef`, for what is long. */
export function shortText(text: string, keep = 6): string {
  return text.length <= keep * 2 + 4 ? text : `${text.slice(0, keep + 2)}…${text.slice(-keep)}`;
}

/** An action in a line. */
export function actionText(
  action: Pick<Schemas['ActionOverview'], 'type' | 'amount' | 'unit' | 'recipient' | 'method' | 'contract'>,
): string {
  const { type, amount, unit, recipient, method, contract } = action;
  const sum = amount === null || amount === '0' ? '' : amountText(amount, unit);
  switch (type) {
    case 'transfer':
      return `Transfer ${sum === '' ? 'nothing' : sum} to ${shortText(recipient ?? '')}`;
    case 'contract_call':
      return `Call ${(method ?? 'raw data').replace(/\(.*/, '')} of ${contractText(contract ?? '')}${sum && `, with ${sum}`}`;
    case 'contract_deploy':
      return `Deploy ${shortText(contract ?? 'raw code', 12)}${sum && `, with ${sum}`}`;
    default:
      return 'Operation';
  }
}

/** A contract by its id or address, or by the action that deploys it. */
function contractText(contract: string): string {
  const [, action] = /^action:(.+)$/.exec(contract) ?? [];
  return action === undefined ? shortText(contract) : `what ${shortText(action)} deploys`;
}

/** Whose a record is, by its project. */
export function ownerText(projectId: string): string {
  return projectId === 'system' ? 'the deployer' : projectId;
}

/** `chain_id` as `Chain id`. */
export function sentenceText(name: string): string {
  const words = name
    .replaceAll(/[-_.]/g, ' ')
    .replaceAll(/\b(?:ca|msp|rpc|tls|url)\b/g, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A time as fields of the browser have it, by the clock here: `2026-11-20T12:30`. */
export function localTime(at: string): string {
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const date = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
