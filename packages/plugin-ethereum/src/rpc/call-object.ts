import type { TransactionFields } from '../transactions/transaction.ts';
import { toHex } from './quantity.ts';

/** Returns a transaction in the form of `eth_call` and `eth_estimateGas`. */
export function callObject(
  from: string | undefined,
  {
    to,
    value,
    data,
    accessList,
  }: Pick<TransactionFields, 'to' | 'value' | 'data'> & Partial<Pick<TransactionFields, 'accessList'>>,
): Record<string, unknown> {
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(value === 0n ? {} : { value: toHex(value) }),
    ...(data === '0x' ? {} : { data }),
    ...(accessList === undefined ? {} : { accessList }),
  };
}
