import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';

/** Returns an `invalid-argument` error at one pointer. */
export function invalid(phase: Phase, pointer: string, detail: string): AdapterError {
  return adapterError('invalid-argument', `${pointer === '' ? 'The value' : pointer} ${detail}.`, {
    phase,
    issues: [{ pointer, detail }],
  });
}
