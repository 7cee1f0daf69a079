import type { Adapter } from './contract/definition.ts';
import { adapterError } from './error.ts';
import type { AdapterDefinition } from './host.ts';
import { atPhase } from './supply/at-phase.ts';
import { openSession } from './supply/session.ts';

/** Version of the adapter interface that this package defines (semver). */
export const interfaceVersion = '0.1.0';

/**
 * Turns an author's adapter into the definition that hosts load. An adapter package exports only this.
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
    const detail = `The adapter ${name} declares coSigners with account sequences, but the host only assigns sequences of the sender's wallet.`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  if (capabilities.raisesExpired === true && capabilities.sequence !== 'none') {
    const detail = `The adapter ${name} declares raisesExpired with account sequences, but such transactions are replaced and do not expire.`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  if (capabilities.replacement && capabilities.sequence !== 'account') {
    const detail = `The adapter ${name} declares replacement without account sequences. Transactions that name claims are replaced on demand: declare onDemandReplacement.`;
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

/**
 * Whether a host can use an adapter that was written for another version of the interface. The major versions must be
 * equal, and while they are 0 also the minor versions. The adapter's version must not be newer than the host's: it may use
 * what was added since.
 */
export function isCompatibleInterface(written: string, supported: string = interfaceVersion): boolean {
  const [major = 0, minor = 0, patch = 0] = numbers(written);
  const [hostMajor = 0, hostMinor = 0, hostPatch = 0] = numbers(supported);
  if (major !== hostMajor) return false;
  if (minor !== hostMinor) return major !== 0 && minor < hostMinor;
  return patch <= hostPatch;
}

function numbers(version: string): number[] {
  return version.split(/[-+]/, 1).join('').split('.').map(Number);
}
