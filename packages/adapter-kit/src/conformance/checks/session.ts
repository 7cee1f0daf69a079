import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import type { LedgerSession, WalletIdentity } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, hook } from '../check.ts';
import { assertRefused, requireProblem } from '../problem.ts';
import { assertTaken, type Stage } from '../stage.ts';
import { timing } from '../timing.ts';

const nothing = () => ({ cursor: null, pending: new Map() });
const transient = ['unavailable', 'timeout'] as const;

function everyCall(
  session: LedgerSession,
  wallet: WalletIdentity,
  technology: string,
): Record<string, () => Promise<unknown>> {
  const native = { technology, content: {} };
  const operation = { type: 'transfer', recipient: wallet.address, amount: 1n, native } as const;
  return {
    chain: () => session.chain(),
    check: () => session.check({ wallet, operation }),
    estimate: () => session.estimate([]),
    prepare: () => session.prepare([]),
    advance: () => session.advance([]),
    submit: () => session.submit([]),
    confirm: () => session.confirm(nothing()),
    sequences: () => session.sequences([wallet.address]),
    balances: () => session.balances([wallet.address]),
    normaliseAddress: () => session.normaliseAddress(wallet.address),
    emulate: () => session.emulate({ operation }),
    lookup: () => session.lookup('0x'),
  };
}

/**
 * Repeats the call while it fails with `unavailable`, as the host does, because a session may need time to
 * reconnect.
 */
async function untilConnected(stage: Stage, ask: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + stage.patience;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      const { code, detail } = requireProblem(error, 'a call after the ledger came back');
      const isTransient = transient.some((one) => one === code);
      assert.ok(
        isTransient && Date.now() < until,
        `the call failed after the ledger came back: ${code}: ${detail}`,
      );
      await delay(timing.poll);
    }
  }
}

/** Checks about opening and closing sessions. */
export const sessionChecks: readonly AdapterCheck[] = [
  {
    name: 'every session of a ledger returns the same chain and genesis',
    needs: [],
    async run(stage) {
      const first = await (await stage.open()).chain();
      assert.match(first.id, /^[-a-z0-9]{3,}:[-_a-zA-Z0-9]+$/, 'the chain id is not <namespace>:<reference>');
      assert.ok(first.genesis !== '', 'the genesis is missing');
      const session = await stage.open();
      assert.deepStrictEqual(await session.chain(), first);
      assert.deepStrictEqual(await session.chain(), first);
      const all = await session.chain({ everyNode: true });
      assert.deepStrictEqual(
        all,
        first,
        'chain({ everyNode: true }) returned a different chain although all nodes respond',
      );
    },
  },
  {
    name: 'a session opens while the ledger is down, reports unavailable, and works when the ledger is back',
    needs: [hook('goDown'), hook('comeUp')],
    async run(stage) {
      await stage.hook('goDown')();
      const session = await stage.open();
      await assertRefused(session.chain(), 'chain() of a ledger that is down', { codes: transient });
      await assertRefused(session.confirm(nothing()), 'confirm() of a ledger that is down', {
        codes: transient,
        phase: 'confirm',
      });
      await stage.hook('comeUp')();
      await untilConnected(stage, () => session.chain());
      await untilConnected(stage, () => session.confirm(nothing()));
    },
  },
  {
    name: 'an open session survives an outage and loses nothing that was submitted before',
    needs: [hook('goDown'), hook('comeUp'), anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { request, main } = await stage.sign(actor, stage.operation());
      await stage.hook('goDown')();
      const answers = await actor.session
        .submit([main])
        .catch((error: unknown) => [
          { txId: main.txId, status: 'thrown', problem: requireProblem(error, 'submit()') },
        ]);
      for (const { status, problem } of answers) {
        assert.ok(
          status === 'unavailable' ||
            (status === 'thrown' && transient.some((code) => code === problem?.code)),
          `submit() to a ledger that is down returned ${status}`,
        );
      }
      await stage.hook('comeUp')();
      // The host repeats submissions until the session has reconnected.
      const until = Date.now() + stage.patience;
      let taken = await actor.session.submit([main]);
      while (Date.now() < until && taken.some(({ status }) => status === 'unavailable')) {
        await delay(timing.poll);
        taken = await actor.session.submit([main]);
      }
      assertTaken(taken);
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, [main]));
      assert.equal(outcomes.get(main.txId)?.status, 'succeeded');
    },
  },
  {
    name: 'calls after close() are rejected, and closing twice is not an error',
    needs: [],
    async run(stage) {
      const { session, wallet } = await stage.enter();
      await session.close();
      await session.close();
      for (const [name, run] of Object.entries(everyCall(session, wallet, stage.definition.technology))) {
        await assertRefused(run(), `${name}() after close()`, {
          codes: ['unavailable', 'unsupported-operation'],
        });
      }
    },
  },
  {
    name: "aborting the host's signal ends a session, as close() does",
    needs: [],
    async run(stage) {
      const end = new AbortController();
      const session = await stage.open({}, end.signal);
      await session.chain();
      end.abort();
      await assertRefused(session.chain(), 'chain() after the signal', { codes: ['unavailable'] });
    },
  },
  {
    name: 'close() ends a call to which the ledger does not respond',
    needs: [hook('hang')],
    async run(stage) {
      const session = await stage.open();
      await stage.hook('hang')();
      const hanging = session.confirm(nothing()).then(
        () => 'answered',
        (error: unknown) => requireProblem(error, 'confirm() ended by close()').code,
      );
      await session.close();
      assert.ok(
        ['unavailable', 'timeout'].includes(await hanging),
        'the call ended neither with unavailable nor with timeout',
      );
    },
  },
];
