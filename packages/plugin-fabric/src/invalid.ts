import { type AdapterError, adapterError, type Phase } from '@ledger-ops/adapter';

/** An `invalid-argument` at one place; the sentence is the pointer's last part and what is wrong with it. */
export function invalid(phase: Phase, pointer: string, detail: string): AdapterError {
  const name = pointer.slice(1) || 'The text';
  return adapterError('invalid-argument', `${name} ${detail}.`, { phase, issues: [{ pointer, detail }] });
}
