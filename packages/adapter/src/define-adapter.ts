import type { Adapter } from './contract/definition.ts';
import { adapterError } from './error.ts';
import type { AdapterDefinition } from './host.ts';
import { atPhase } from './supply/at-phase.ts';
import { openSession } from './supply/session.ts';

/** Version of the adapter interface that this package describes (semver). */
export const interfaceVersion = '0.1.0';

/**
 * Makes of what an author writes what hosts take; the one thing that an adapter package exports for them.
 * @throws AdapterError `adapter-fault`, where capabilities do not go together
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
    const detail = `The adapter ${name} declares coSigners with sequences of accounts: the host allots those of the wallet alone.`;
    throw adapterError('adapter-fault', detail, { phase: 'open' });
  }
  return Object.freeze({
    ...{ name, technology, description, version, keyType, interfaceVersion, capabilities },
    readInterface: (text: string) =>
      atPhase('interface', async () => {
        if (adapter.readInterface !== undefined) return adapter.readInterface(text);
        const detail = `There are no contract interfaces on ledgers of ${technology}.`;
        throw adapterError('invalid-argument', detail, { issues: [{ pointer: '', detail }] });
      }),
    open: (...given: Parameters<AdapterDefinition['open']>) => openSession(adapter, capabilities, ...given),
  } satisfies AdapterDefinition);
}

/**
 * Whether an adapter written for one version of the interface can be used by a host that has another: the
 * same major version, or the same minor one while the major is 0, and not a newer one than the host has.
 */
export function isCompatibleInterface(written: string, supported: string = interfaceVersion): boolean {
  const [major = 0, minor = 0] = numbers(written);
  const [hostMajor = 0, hostMinor = 0] = numbers(supported);
  if (major !== hostMajor) return false;
  return major === 0 ? minor === hostMinor : minor <= hostMinor;
}

function numbers(version: string): number[] {
  return version.split(/[-+]/, 1).join('').split('.').map(Number);
}
