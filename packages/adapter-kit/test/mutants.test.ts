import type { AdapterDefinition, LedgerSession } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { adapterChecks, createTestSigner, runCheck } from '@ledger-ops/adapter-kit/conformance';
import { describe, expect, test } from 'vitest';
import { mutantsBeforeSigning } from './mutants/before-signing.ts';
import { furtherMutantsOfClaims, mutantsOfClaims } from './mutants/claims.ts';
import { mutantsOfCoSigning } from './mutants/co-signing.ts';
import { furtherMutantsOfContractEvents, mutantsOfContractEvents } from './mutants/contract-events.ts';
import { furtherMutantsOfRaising, mutantsOfExpiring, mutantsOfRaising } from './mutants/expiring.ts';
import { furtherMutantsFromSigningOn, mutantsFromSigningOn } from './mutants/from-signing-on.ts';
import type { Mutant } from './mutants/mutant.ts';
import { mutantsOfReplacing } from './mutants/replacing.ts';
import { mutantsWithoutSequences } from './mutants/without-sequences.ts';
import { utxoFixture } from './utxo-fixture.ts';
import { everyPower, type Fixture, fewPowers, fixtureOf } from './variants.ts';

/** For each check, by its name, a fault that it must find. */
const mutants: Readonly<Record<string, Mutant>> = {
  ...mutantsBeforeSigning,
  ...mutantsFromSigningOn,
  ...mutantsOfReplacing,
  ...mutantsWithoutSequences,
  ...mutantsOfClaims,
  ...mutantsOfExpiring,
  ...mutantsOfRaising,
  ...mutantsOfCoSigning,
  ...mutantsOfContractEvents,
};

/** The key of the memory harness. */
const signer = createTestSigner('secp256k1', new Uint8Array(32).fill(7));

/** Returns a fixture whose sessions have the fault. */
function mutate(mutant: Mutant): Fixture {
  const memory = fixtureOf(mutant.variant ?? (mutant.fewPowers === true ? fewPowers : everyPower));
  const fixture = mutant.utxo === true ? { ...memory, ...utxoFixture } : memory;
  let counted = 0;
  const withSession: AdapterDefinition = Object.freeze({
    ...fixture.definition,
    async open(...[config, host]: Parameters<AdapterDefinition['open']>) {
      const session = await fixture.definition.open(mutant.config?.(config) ?? config, host);
      const changed = mutant.session?.(session, {
        ledger: fixture.ledger(),
        meddle: (amount) =>
          fixture.ledger().outsideTransaction({
            privateKey: signer.privateKey,
            recipient: `0x${'ab'.repeat(20)}`,
            amount,
          }),
        sign: signer.sign,
        count: () => {
          counted += 1;
          return counted;
        },
        memory: new Map(),
      });
      return { ...session, ...changed };
    },
  });
  return {
    ...fixture,
    definition: mutant.definition?.(withSession) ?? withSession,
    async open() {
      const harness = { ...(await fixture.open()), patience: 1_000 };
      return mutant.harness?.(harness) ?? harness;
    },
  };
}

function checkOf(name: string) {
  const check = adapterChecks.find((one) => one.name === name);
  if (check === undefined) throw new Error(`there is no check named: ${name}`);
  return check;
}

describe('each conformance check finds a fault that was put into an adapter', () => {
  for (const check of adapterChecks) {
    const mutant = mutants[check.name];
    test(`the check "${check.name}" finds the fault "${mutant?.fault ?? 'none'}"`, async () => {
      if (mutant === undefined) throw new Error('this check has no mutant');
      const { definition, open } = mutate(mutant);
      const error = await runCheck(check, definition, open).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(error).toMatchObject({ name: expect.stringMatching(/^(AssertionError|AdapterError)$/) });
    });
  }

  const further = [
    ...furtherMutantsOfContractEvents,
    ...furtherMutantsFromSigningOn,
    ...furtherMutantsOfRaising,
    ...furtherMutantsOfClaims,
  ];
  const named = further.map(([name, mutant]) => [name, mutant.fault, mutant] as const);
  test.each(named)('the check "%s" finds the additional fault "%s"', async (name, _, mutant) => {
    const { definition, open } = mutate(mutant);
    await expect(runCheck(checkOf(name), definition, open)).rejects.toThrow();
  });

  test('every mutant names an existing check', () => {
    const names = new Set(adapterChecks.map((check) => check.name));
    expect(Object.keys(mutants).filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('any conformance check validates all messages', () => {
  const anyCheck =
    'reports the outcome of a final transaction under the transaction id that was known before sending';
  const found = async (session: (session: LedgerSession) => Partial<LedgerSession>, check = anyCheck) => {
    const { definition, open } = mutate({ fault: '', session });
    return runCheck(checkOf(check), definition, open).then(
      () => 'the kit found no fault',
      (error: unknown) => String(error),
    );
  };

  test('the kit reports a call that throws an Error other than AdapterError', async () => {
    const check = async () => {
      throw new Error('no route to host');
    };
    expect(await found(() => ({ check }))).toContain('check() threw Error (no route to host)');
  });

  test('the kit reports an AdapterError with an unknown code or phase', async () => {
    const check = async () => {
      throw Object.assign(adapterError('reverted', 'No.', { phase: 'check' }), {
        problem: { code: 'oh-no', phase: 'check', detail: 'No.' },
      });
    };
    expect(await found(() => ({ check }))).toContain(
      'oh-no is not an error code that the adapter interface defines',
    );
  });

  test('the kit reports a message that contains a function, a class instance or a Buffer', async () => {
    const changed = (extra: unknown) => (session: LedgerSession) => ({
      async prepare(all: Parameters<LedgerSession['prepare']>[0]) {
        return Object.assign(await session.prepare(all), { extra });
      },
      async chain() {
        return Object.assign(await session.chain(), { extra });
      },
    });
    const check = 'every session of a ledger returns the same chain and genesis';
    expect(
      await found(
        changed(() => 1),
        check,
      ),
    ).toContain('is not compatible with structured clone');
    expect(await found(changed(new (class Thing {})()), check)).toContain('is not plain data');
    expect(await found(changed(Buffer.from('a')), check)).toContain('is not plain data');
  });

  test("the kit reports a signing request for anything but a 32-byte digest on the adapter's curve", async () => {
    const asking = (change: Record<string, unknown>) => (session: LedgerSession) => ({
      async prepare(all: Parameters<LedgerSession['prepare']>[0]) {
        const prepared = await session.prepare(all);
        for (const one of prepared) {
          for (const { round } of one.status === 'prepared' ? one.attempts : []) {
            if (!round.done)
              round.requests = round.requests.map((request) => Object.assign({}, request, change));
          }
        }
        return prepared;
      },
    });
    expect(await found(asking({ export: 'privateKey' }))).toContain('does not contain a digest');
    expect(await found(asking({ digest: new Uint8Array(64) }))).toContain(
      'the digest does not have 32 bytes',
    );
    expect(await found(asking({ curve: 'p256' }))).toContain(
      "the curve of a signing request is not the adapter's",
    );
  });

  test('the kit reports an adapter that changes a request of the host', async () => {
    const session = (inner: LedgerSession): Partial<LedgerSession> => ({
      async check(request) {
        request.wallet.address = request.wallet.address.toUpperCase();
        return inner.check(request);
      },
    });
    expect(await found(session)).toContain('check() threw TypeError');
  });

  test("the kit reports an error that contains a node's credential", async () => {
    const { definition, open } = mutate({
      fault: '',
      harness: (harness) => ({
        ...harness,
        ledger: { ...harness.ledger, nodes: [{ nodeId: 'n', uri: 'https://user:hunter2@node.example/' }] },
      }),
      session: () => ({
        async check() {
          throw adapterError('unavailable', 'https://user:hunter2@node.example/ does not answer.', {
            phase: 'check',
          });
        },
      }),
    });
    await expect(runCheck(checkOf(anyCheck), definition, open)).rejects.toThrow('contains a credential');
  });

  test('the kit reports a call that never settles', async () => {
    expect(await found(() => ({ check: () => new Promise(() => undefined) }))).toContain(
      'check() did not settle within 1000 ms',
    );
  });
});
