import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';

/** Returns an `invalid-argument` error at one pointer; the sentence starts with the pointer's last part. */
export function invalid(phase: Phase, pointer: string, detail: string): AdapterError {
  const name = pointer.slice(1) || 'The text';
  return adapterError('invalid-argument', `${name} ${detail}.`, { phase, issues: [{ pointer, detail }] });
}
