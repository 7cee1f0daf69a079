import type { Adapter } from './contract/definition.ts';
import { adapterError } from './error.ts';
import type { AdapterDefinition } from './host.ts';
import { atPhase } from './supply/at-phase.ts';
import { openSession } from './supply/session.ts';
import { interfaceVersion } from './version.ts';

/**
 * Turns an author's adapter into the definition that hosts load. An adapter package exports only this
 * definition.
 *
 * @throws AdapterError `adapter-fault` if the capabilities contradict each other
 */
export function defineAdapter(adapter: Adapter): AdapterDefinition {
  const { name, technology, description, version, keyType } = adapter;
  const capabilities = {
    sequence: 'none',
    replacement: false,
    emulation: false,
    lookup: false,
    balance: false,
    ...adapter.capabilities,
  } as const;
  if (capabilities.coSigners === true && capabilities.sequence !== 'none') {
    const detail = `The adapter ${name} declares coSigners with account sequences, but the host assigns sequences only to the sender's wallet.`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  if (capabilities.raisesExpired === true && capabilities.sequence !== 'none') {
    const detail = `The adapter ${name} declares raisesExpired with account sequences, but transactions with sequences are replaced and do not expire.`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  if (capabilities.replacement && capabilities.sequence !== 'account') {
    const detail = `The adapter ${name} declares replacement without account sequences. For transactions that name claims, declare onDemandReplacement instead.`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  return Object.freeze({
    ...{ name, technology, description, version, keyType, interfaceVersion, capabilities },
    readInterface: (text: string) =>
      atPhase('interface', async () => {
        if (adapter.readInterface !== undefined) return adapter.readInterface(text);
        const detail = `Ledgers of ${technology} have no contract interfaces.`;
        throw adapterError('invalid-argument', detail, { issues: [{ pointer: '', detail }] });
      }),
    open: (...given: Parameters<AdapterDefinition['open']>) => openSession(adapter, capabilities, ...given),
  } satisfies AdapterDefinition);
}
