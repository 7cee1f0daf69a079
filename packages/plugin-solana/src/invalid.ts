import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';

/** An invalid argument at one place. */
export function invalid(phase: Phase, pointer: string, detail: string): AdapterError {
  return adapterError('invalid-argument', phase, `${pointer === '' ? 'The value' : pointer} ${detail}.`, {
    issues: [{ pointer, detail }],
  });
}
