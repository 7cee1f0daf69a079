// The kit and a host accept the same default exports of modules.
import { type AdapterDefinition, readDefinition } from '@ledger-ops/adapter';
import { adapterChecks, runCheck } from '@ledger-ops/adapter-kit/conformance';
import { beforeAll, expect, test } from 'vitest';
import { everyPower, type Fixture, fixtureOf } from './variants.ts';

const checks = adapterChecks.filter(({ name }) =>
  /^(a host accepts|the definition was written|the description of)/.test(name),
);
let fixture: Fixture;

beforeAll(() => {
  fixture = fixtureOf(everyPower);
});

/** Whether all checks of the definition pass. */
async function passes(definition: AdapterDefinition): Promise<boolean> {
  const results = await Promise.allSettled(
    checks.map((check) =>
      runCheck(check, definition, async () => {
        const harness = await fixture.open();
        return { ...harness, ledger: { ...harness.ledger, technology: definition.technology } };
      }),
    ),
  );
  return results.every(({ status }) => status === 'fulfilled');
}

function isAccepted(definition: AdapterDefinition): boolean {
  try {
    readDefinition('module', definition);
    return true;
  } catch {
    return false;
  }
}

const version = (interfaceVersion: unknown) => ({ interfaceVersion });
const described = (more: object) => (all: AdapterDefinition) => ({
  description: { ...all.description, ...more },
});
const capable = (more: object) => (all: AdapterDefinition) => ({
  capabilities: { ...all.capabilities, ...more },
});

test.each<[string, object | ((all: AdapterDefinition) => object), boolean]>([
  ['interface 0.1.0', version('0.1.0'), true],
  ['interface 0.1.0 with build metadata', version('0.1.0+x'), true],
  ['a pre-release of interface 0.1.0', version('0.1.0-rc.1'), true],
  ['a newer patch of the interface', version('0.1.7'), false],
  ['a newer minor version of the interface', version('0.2.0'), false],
  ['a newer major version of the interface', version('1.0.0'), false],
  ['an interface version with two numbers', version('0.1'), false],
  ['an interface version with a leading zero', version('0.01.0'), false],
  ['an interface version with a prefix', version('v0.1.0'), false],
  ['an interface version with spaces', version(' 0.1.0 '), false],
  ['an interface version that is a number', version(0.1), false],
  ['no interface version', version(undefined), false],
  ['a technology of 64 characters', { technology: 'x'.repeat(64) }, true],
  ['a technology of 65 characters', { technology: 'x'.repeat(65) }, false],
  ['a technology with a dot', { technology: 'my.ledger' }, false],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, false],
  ['no name', { name: undefined }, false],
  ['a version with a leading zero', { version: '01.2.3' }, false],
  ['an unknown type of keys', { keyType: 'rsa' }, false],
  ['an unknown member', { author: 'Ada' }, true],
  ['an unknown capability', capable({ teleports: true }), true],
  ['a capability that is a string', capable({ lookup: 'yes' }), false],
  ['an unknown operation', capable({ operations: ['mint'] }), false],
  ['no operation', capable({ operations: [] }), false],
  ['replacement without account sequences', capable({ sequence: 'none', replacement: true }), false],
  ['co-signers with account sequences', capable({ sequence: 'account', coSigners: true }), false],
  [
    'a higher price after expiry with account sequences',
    capable({ raisesExpired: true, sequence: 'account' }),
    false,
  ],
  ['17 operations', capable({ operations: Array.from({ length: 17 }, () => 'transfer') }), false],
  ['no description', { description: undefined }, false],
  ['a description that is a string', { description: 'toy' }, false],
  ['a description without a title', described({ title: undefined }), false],
  ['a title of 129 characters', described({ title: 'x'.repeat(129) }), false],
  ['a description with an unknown member', described({ currency: 'GLD' }), false],
  ['a description of more than 32,768 characters', described({ title: 'x'.repeat(40_000) }), false],
])(
  'the host and the conformance kit either both accept or both reject a definition: %s',
  async (_, change, isGood) => {
    const { definition } = fixture;
    const changed = { ...definition, ...(typeof change === 'function' ? change(definition) : change) };
    const judged = { host: isAccepted(changed), kit: await passes(changed) };
    expect(judged).toEqual({ host: isGood, kit: isGood });
  },
);
