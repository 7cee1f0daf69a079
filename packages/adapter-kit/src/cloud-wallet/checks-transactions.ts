import { strict as assert } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { all, type CloudWalletCheck, funds, hook, ownFunds } from './check.ts';
import { assertRefusal, type RemoteStage, type TestWallet } from './stage.ts';

/** Sends the sample, waits for its success, and returns its action id and locator. */
export async function execute(stage: RemoteStage, wallet: TestWallet) {
  const body = stage.sending(wallet, stage.harness.samples.operation);
  const { txId } = await stage.send(body);
  const final = await stage.settled(txId);
  assert.equal(final.status, 'SUCCEEDED', `a valid operation FAILED: ${JSON.stringify(final.problem)}`);
  const locator = final.details?.locator;
  assert.ok(typeof locator === 'string', 'the status of the succeeded transaction has no locator');
  return { body, txId, locator };
}

async function assertExecuted(stage: RemoteStage, wallet: TestWallet, times: number): Promise<void> {
  const counted = await stage.harness.hooks?.executions?.(wallet.address);
  if (counted !== undefined && wallet.address !== '') {
    assert.equal(counted, times, `the ledger counts ${counted} executions, but ${times} are expected`);
  }
}

/** Checks that transactions are executed once and tracked until they complete. */
export const transactionChecks: readonly CloudWalletCheck[] = [
  {
    name: 'a valid transaction is accepted and becomes SUCCEEDED with a locator',
    missing: funds,
    async run(stage) {
      const wallet = await stage.fundedWallet();
      await execute(stage, wallet);
      if (typeof stage.harness.funded !== 'object') await assertExecuted(stage, wallet, 1);
    },
  },
  {
    name: 'an action that is sent many times, even concurrently, is executed once',
    missing: funds,
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const body = stage.sending(wallet, stage.harness.samples.operation);
      const answers = await Promise.all(Array.from({ length: 8 }, () => stage.send(body)));
      const locators = new Set<unknown>();
      for (const { txId } of [...answers, await stage.send(body)]) {
        const { status, details } = await stage.settled(txId);
        assert.equal(status, 'SUCCEEDED');
        locators.add(details?.locator);
      }
      assert.equal(locators.size, 1, 'the responses name different transactions');
      const late = await stage.send(body);
      assert.equal(
        late.status,
        'SUCCEEDED',
        'a request repeated after completion does not return the final state',
      );
      if (typeof stage.harness.funded !== 'object') await assertExecuted(stage, wallet, 1);
    },
  },
  {
    name: 'a request that repeats an action id with different content is rejected and not executed',
    missing: funds,
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const { body } = await execute(stage, wallet);
      const other = stage.sending(wallet, stage.harness.samples.other, body.actionId);
      assertRefusal(await stage.request('POST', '/transactions', other), [409], 'another content');
      if (typeof stage.harness.funded !== 'object') await assertExecuted(stage, wallet, 1);
    },
  },
  {
    name: 'concurrent actions of one wallet are all executed, each with a different locator',
    missing: funds,
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const bodies = Array.from({ length: 4 }, () => stage.sending(wallet, stage.harness.samples.operation));
      const answers = await Promise.all(bodies.map((body) => stage.send(body)));
      const locators = new Set<unknown>();
      for (const { txId } of answers) {
        const { status, details, problem } = await stage.settled(txId);
        assert.equal(status, 'SUCCEEDED', JSON.stringify(problem));
        locators.add(details?.locator);
      }
      assert.equal(locators.size, 4);
    },
  },
  {
    name: 'a transaction with a wrong wallet secret is rejected and not executed',
    missing: funds,
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const wrong = { ...wallet, secret: randomBytes(32).toString('base64url') };
      const body = stage.sending(wrong, stage.harness.samples.operation);
      assertRefusal(await stage.request('POST', '/transactions', body), [403], 'a wrong secret');
      const [status] = await stage.statuses([body.actionId]);
      assert.equal(status?.problem?.status, 404, 'the action id is known');
      const { pluginParams: _, ...without } = body;
      assertRefusal(await stage.request('POST', '/transactions', without), [400, 403], 'no secret');
      if (typeof stage.harness.funded !== 'object') await assertExecuted(stage, wallet, 0);
    },
  },
  {
    name: 'a transaction of an unknown wallet is rejected',
    async run(stage) {
      const wallet = { walletId: `no-${randomUUID()}`, secret: randomUUID(), address: '' };
      const body = stage.sending(wallet, stage.harness.samples.operation);
      assertRefusal(await stage.request('POST', '/transactions', body), [404], 'an unknown wallet');
    },
  },
  {
    name: 'an invalid operation is rejected with 400, and the problem contains the position of the error',
    async run(stage) {
      const wallet = await stage.newWallet();
      for (const glo of [{}, { version: '0.1.0', type: 'dance', options: {} }, { version: '9.0.0' }]) {
        const body = stage.sending(wallet, { glo });
        const answer = await stage.request('POST', '/transactions', body);
        const problem = assertRefusal(answer, [400], `the operation ${JSON.stringify(glo)}`);
        const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
        assert.ok(
          pointers.some((pointer) => pointer.startsWith('/glo')),
          `no error is at /glo or below; the errors are at: ${pointers.join(', ') || 'none'}`,
        );
      }
    },
  },
  {
    name: 'unknown native content is rejected, not ignored',
    missing: funds,
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const { operation } = stage.harness.samples;
      const native = { version: '1', native_transaction_content: { unknownToEveryPlugin: 'a note' } };
      const glo = { ...operation.glo, meta: { ledger: { [stage.plugin.technology]: native } } };
      const answer = await stage.request(
        'POST',
        '/transactions',
        stage.sending(wallet, { ...operation, glo }),
      );
      assertRefusal(answer, [400, 422], 'an operation with unknown native content');
    },
  },
  {
    name: 'an operation that cannot be executed is rejected, or its status becomes FAILED',
    proves: 'failures',
    missing: (stage) =>
      stage.harness.samples.refused === undefined ? "the harness has no sample 'refused'" : funds(stage),
    async run(stage) {
      const { refused } = stage.harness.samples;
      assert.ok(refused !== undefined);
      const wallet = await stage.fundedWallet();
      const body = stage.sending(wallet, refused);
      const answer = await stage.request('POST', '/transactions', body);
      if (answer.status !== 200) {
        assertRefusal(answer, [400, 422], 'an impossible operation');
        return;
      }
      const { txId } = await stage.send(body);
      const final = await stage.settled(txId);
      assert.equal(final.status, 'FAILED');
      assert.ok(
        final.problem != null && final.problem.detail !== '',
        'a FAILED action has no `problem`, or its `detail` is empty',
      );
      // A host repeats a request if it did not get the response.
      const again = await stage.send(body);
      assert.equal(again.txId, txId, 'a repeated FAILED action has another transaction');
      assert.equal((await stage.settled(again.txId)).status, 'FAILED');
    },
  },
  {
    name: 'statuses are returned in the order of the requested transaction or action ids, with FAILED and 404 for unknown ids',
    missing: funds,
    async run(stage) {
      const { body, txId, locator } = await execute(stage, await stage.fundedWallet());
      const unknown = `no-${randomUUID()}`;
      const ids = [locator, unknown, body.actionId, txId];
      const statuses = await stage.statuses(ids);
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        ['SUCCEEDED', 'FAILED', 'SUCCEEDED', 'SUCCEEDED'],
      );
      assert.equal(
        statuses[1]?.problem?.status,
        404,
        'the `problem` of an unknown id does not have the status 404',
      );
      assert.deepStrictEqual(
        [0, 2, 3].map((index) => statuses[index]?.details?.locator),
        [locator, locator, locator],
      );
      assert.deepStrictEqual(await stage.statuses(ids), statuses, 'a final status changed');
      assertRefusal(await stage.request('GET', '/transactions'), [400], 'no id');
    },
  },
  {
    name: 'after a crash, the plugin still knows wallets, actions and results, and executes nothing twice',
    proves: 'crashes',
    missing: all(ownFunds, hook('crash')),
    async run(stage) {
      const wallet = await stage.fundedWallet();
      const done = await execute(stage, wallet);
      const body = stage.sending(wallet, stage.harness.samples.operation);
      const sent = await stage.send(body);
      const moved = await stage.harness.hooks?.crash?.();
      if (moved !== undefined) stage.move(moved.url);
      assert.equal((await stage.send(done.body)).status, 'SUCCEEDED');
      const again = await stage.send(body);
      const [before, after] = [await stage.settled(sent.txId), await stage.settled(again.txId)];
      assert.equal(before.status, 'SUCCEEDED', JSON.stringify(before.problem));
      assert.equal(before.details?.locator, after.details?.locator);
      await assertExecuted(stage, wallet, 2);
    },
  },
];
