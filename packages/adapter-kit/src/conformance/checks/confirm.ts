import { strict as assert } from 'node:assert';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Cursor, Head } from '@ledger-ops/adapter';
import { type AdapterCheck, anyOperation, capability, hook, sample, sequences } from '../check.ts';
import { assertTaken } from '../stage.ts';
import { timing } from '../timing.ts';
import { inTime } from '../wire.ts';

const deep = 3;

/** Checks about outcomes: their content, when they are reported, and the cursor. */
export const confirmChecks: readonly AdapterCheck[] = [
  {
    name: 'reports the outcome of a final transaction under the transaction id that was known before sending',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const { main, outcome } = await stage.execute(actor, stage.operation());
      assert.equal(outcome.txId, main.txId);
      assert.equal(outcome.status, 'succeeded');
      const { height = 0 } = outcome;
      assert.ok(
        Number.isSafeInteger(height) && height >= 0,
        'the height of the outcome is neither a number nor absent',
      );
      assert.ok(outcome.blockHash !== '', 'the outcome does not contain its block hash');
    },
  },
  {
    name: 'a deployment returns its contract address, normalized and unique',
    needs: [sample('deploy')],
    async run(stage) {
      const actor = await stage.enter();
      const addresses: string[] = [];
      for (const _ of [1, 2]) {
        const { outcome } = await stage.execute(actor, stage.sample('deploy'));
        assert.ok(outcome.status === 'succeeded', `the outcome of the deployment is ${outcome.status}`);
        assert.ok(
          outcome.contractAddress !== undefined,
          'the outcome of the deployment has no contractAddress',
        );
        addresses.push(outcome.contractAddress);
      }
      if (stage.definition.capabilities.sequence === 'account') {
        assert.notEqual(addresses[0], addresses[1]);
        for (const address of addresses) assert.equal(await actor.session.normaliseAddress(address), address);
      }
    },
  },
  {
    name: 'a transaction has no outcome until its block has the required depth',
    needs: [anyOperation, hook('mine')],
    async run(stage) {
      const enough = stage.harness.finalAtOnce === true ? 1 : deep;
      const actor = await stage.enter({ confirmations: deep });
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      const pending = stage.pending(actor, request, [main]);
      let cursor: Cursor | null = null;
      for (let depth = 0; depth < enough; depth += 1) {
        const confirmed = await actor.session.confirm({ cursor, pending });
        assert.deepStrictEqual(confirmed.outcomes, [], `there is an outcome at depth ${depth} of ${enough}`);
        if (stage.definition.capabilities.lookup) {
          const found = await actor.session.lookup(main.txId);
          assert.equal(
            found?.status ?? 'PENDING',
            'PENDING',
            `lookup() reports a final status at depth ${depth} of ${enough}`,
          );
        }
        cursor = confirmed.cursor;
        await stage.hook('mine')(1);
      }
      let { outcomes } = await actor.session.confirm({ cursor, pending });
      // A session may not have noticed the newest block yet.
      const until = Date.now() + stage.patience;
      while (outcomes.length === 0 && stage.harness.finalAtOnce === true && Date.now() < until) {
        await delay(timing.poll);
        ({ outcomes } = await actor.session.confirm({ cursor, pending }));
      }
      assert.deepStrictEqual(
        outcomes.map(({ txId, status }) => ({ txId, status })),
        [{ txId: main.txId, status: 'succeeded' }],
        `there is no outcome at depth ${enough}`,
      );
    },
  },
  {
    name: 'the outcome of a transaction that a block contains as failed is failed, with the reason',
    needs: [sample('failing')],
    async run(stage) {
      const actor = await stage.enter();
      const { main, outcome } = await stage.execute(actor, stage.sample('failing'));
      assert.ok(outcome.status === 'failed', `the outcome is ${outcome.status} instead of failed`);
      assert.ok(
        ['reverted', 'out-of-gas', 'refused', 'invalidated'].includes(outcome.problem.code),
        outcome.problem.code,
      );
      assert.equal(outcome.problem.phase, 'confirm');
      if (outcome.problem.txId !== undefined) assert.equal(outcome.problem.txId, main.txId);
    },
  },
  {
    name: 'another session can continue from a stored cursor, and finds old outcomes without a cursor',
    needs: [anyOperation],
    async run(stage) {
      const actor = await stage.enter();
      const first = await stage.execute(actor, stage.operation());
      const { request, main } = await stage.sign(actor, stage.operation());
      const pending = stage.pending(actor, request, [main]);
      assertTaken(await actor.session.submit([main]));
      await actor.session.close();
      const session = await stage.open();
      const cursor: Cursor = JSON.parse(JSON.stringify(first.cursor));
      const next = await stage.settle({ ...actor, session }, pending, cursor);
      assert.equal(
        next.outcomes.get(main.txId)?.status,
        'succeeded',
        'reading from the stored cursor does not report the success',
      );
      await inTime('the cursor advances', stage.patience, async () => {
        // confirm() may return an outcome before the cursor reaches the outcome's block.
        let { cursor: reached } = next;
        while (reached.height <= cursor.height) {
          await delay(timing.poll);
          ({ cursor: reached } = await session.confirm({ cursor: reached, pending: new Map() }));
        }
      });
      const both = new Map([...pending, [first.main.txId, { address: actor.wallet.address }] as const]);
      const again = await session.confirm({ cursor: null, pending: both });
      const found = again.outcomes.map((outcome) => outcome.txId);
      assert.deepStrictEqual(
        found.toSorted(),
        [...both.keys()].toSorted(),
        'without a cursor, the outcomes are not found',
      );
    },
  },
  {
    name: 'confirm() does not change the list of pending transactions, and returns no outcomes for other transactions',
    needs: [anyOperation],
    async run(stage) {
      const { definition, harness } = stage;
      const actor = await stage.enter();
      const { main } = await stage.execute(actor, stage.operation());
      const none = await actor.session.confirm({ cursor: null, pending: new Map() });
      assert.deepStrictEqual(none.outcomes, [], 'there are outcomes although no transaction is pending');
      const unknown = `0x${'5a'.repeat(32)}`;
      // Calls the session directly, because `overTheWire` would pass a copy of the list.
      const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
      const session = await definition.open(harness.ledger, host);
      try {
        const pending = new Map(
          [main.txId, unknown].map((txId) => [txId, { address: actor.wallet.address }]),
        );
        const before = structuredClone(pending);
        const { outcomes } = await session.confirm({ cursor: null, pending });
        assert.deepStrictEqual(pending, before, 'confirm() changed the map');
        assert.deepStrictEqual(
          outcomes.map((outcome) => outcome.txId),
          [main.txId],
          'a transaction that the ledger never saw has an outcome',
        );
      } finally {
        await session.close();
      }
    },
  },
  {
    name: 'an external transaction supersedes a pending transaction with the same sequence only at the required depth',
    needs: [anyOperation, hook('outsideTransaction'), hook('mine'), sequences('account')],
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      const { request, main } = await stage.sign(actor, stage.operation());
      assert.ok(request.sequence !== undefined, 'the request has no sequence');
      await stage.hook('outsideTransaction')(request.sequence);
      const pending = stage.pending(actor, request, [main]);
      await stage.hook('mine')(deep - 1);
      const early = await actor.session.confirm({ cursor: null, pending });
      assert.deepStrictEqual(early.outcomes, [], 'there is an outcome before the required depth');
      const { outcomes } = await stage.settle(actor, pending, early.cursor);
      assert.equal(outcomes.get(main.txId)?.status, 'superseded');
    },
  },
  {
    name: 'one attempt of an action succeeds, and the others are superseded',
    needs: [anyOperation, capability('replacement')],
    async run(stage) {
      const actor = await stage.enter({ replace_after: 1, presigned_replacements: true });
      const { request, main, attempts } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      const { outcomes } = await stage.settle(actor, stage.pending(actor, request, attempts));
      const expected = attempts.map((attempt, index) => [
        attempt.txId,
        index === 0 ? 'succeeded' : 'superseded',
      ]);
      const found = attempts.map(({ txId }) => [txId, outcomes.get(txId)?.status]);
      assert.deepStrictEqual(found, expected);
    },
  },
  {
    name: 'reports a cursor whose block was removed, but not a cursor whose block still exists',
    needs: [hook('mine'), hook('reorganise')],
    async run(stage) {
      const { session } = await stage.enter();
      const pending = new Map();
      await stage.hook('mine')(4);
      const { cursor } = await session.confirm({ cursor: null, pending });
      await stage.hook('mine')(2);
      const standing = await session.confirm({ cursor, pending });
      assert.equal(standing.reorganised, false, 'a reorg is reported although the chain only grew');
      await stage.hook('reorganise')(2);
      await stage.hook('mine')(3);
      const gone = await session.confirm({ cursor: standing.cursor, pending });
      assert.equal(
        gone.reorganised,
        true,
        'confirm() does not report that the block at the cursor was removed',
      );
      const after = await session.confirm({ cursor: gone.cursor, pending });
      assert.equal(after.reorganised, false, 'the new cursor is reported as removed');
    },
  },
  {
    name: 'a transaction that a reorg removed has no outcome until a block contains it again',
    needs: [anyOperation, hook('mine'), hook('reorganise')],
    async run(stage) {
      const actor = await stage.enter({ confirmations: deep });
      await stage.hook('mine')(1);
      const { request, main } = await stage.sign(actor, stage.operation());
      assertTaken(await actor.session.submit([main]));
      await stage.hook('mine')(1);
      await stage.hook('reorganise')(1);
      await stage.hook('mine')(deep + 1);
      const pending = stage.pending(actor, request, [main]);
      const { outcomes: none } = await actor.session.confirm({ cursor: null, pending });
      assert.deepStrictEqual(none, [], 'a transaction that no block contains has an outcome');
      assertTaken(await actor.session.submit([main]));
      const { outcomes } = await stage.settle(actor, pending);
      assert.equal(outcomes.get(main.txId)?.status, 'succeeded');
    },
  },
  {
    name: 'onHead() calls its listener for each new head until it is stopped',
    needs: [hook('mine')],
    async run(stage) {
      const session = await stage.open();
      const stopped: Head[] = [];
      const seen: Head[] = [];
      const end = session.onHead((head) => seen.push(head));
      const called = Promise.withResolvers<void>();
      const stop = session.onHead((head) => {
        stopped.push(head);
        called.resolve();
      });
      /** Mines until a listener is called with a head above this height. Returns the height of that head. */
      const headAbove = async (height: number): Promise<number> => {
        const { promise, resolve } = Promise.withResolvers<number>();
        let isWaiting = true;
        const endOther = session.onHead((head) => {
          if (head.height <= height) return;
          isWaiting = false;
          resolve(head.height);
        });
        const mine = async () => {
          // A session that has just started to follow the ledger may miss this block, but not the next.
          while (isWaiting) {
            await stage.hook('mine')(1);
            await Promise.race([promise, delay(timing.head, undefined, { ref: false })]);
          }
          return await promise;
        };
        try {
          return await inTime('no new, higher head was reported', stage.patience, mine);
        } finally {
          isWaiting = false;
          endOther();
        }
      };
      const first = await headAbove(-1);
      await inTime('the other listener was not called', stage.patience, () => called.promise);
      stop();
      stop();
      const before = stopped.length;
      await headAbove(first);
      assert.equal(stopped.length, before, 'a stopped listener is called');
      // If two blocks follow quickly, `confirm()` may already return the second head when `onHead` reports
      // the first.
      await inTime('confirm() and onHead() return different heads', stage.patience, async () => {
        for (let isSame = false; !isSame; ) {
          const { head } = await session.confirm({ cursor: null, pending: new Map() });
          isSame = seen.some((told) => isDeepStrictEqual(told, head)) || (await delay(timing.poll, false));
        }
      });
      end();
    },
  },
];
