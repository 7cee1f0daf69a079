// Causes every pending reason and every failure over HTTP, and reads the explanation.
import {
  type AdapterDefinition,
  type AdapterErrorCode,
  type AdapterProblem,
  adapterErrorCodes,
  nonceClaim,
  type Outcome,
} from '@ledger-ops/adapter';
import { createMemoryLedger, type MemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { systemUid } from '@ledger-ops/auth';
import { problemType } from '@ledger-ops/base';
import { type EndProblem, endProblems, type PendingCode, pendingCodes } from '@ledger-ops/runtime';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { endTexts, pendingTexts } from '../../src/explain/texts.ts';
import { type Api, addTenant, type Installation, install } from '../stage/api.ts';

const walletPassword = 'correct horse battery staple';
const wait = { timeout: 30_000, interval: 20 };
const actionsPath = '/v1/ledger-ops/actions';

interface Shown {
  status: string;
  pending?: { code: string };
  problem?: { type: string };
  waitingSince: string | null;
}
interface Listed {
  actions: { actionId: string }[];
}
interface Explained {
  summary: string;
  sentences: { about: string; text: string }[];
  next: { action: string; request: { method: string; path: string } | null; permission: string | null }[];
}

/** Results of the plugins that a test sets. They override the state of the ledgers. */
const script: {
  /** Estimates by wallet address. */
  estimates: Map<string, { status: 'wait' | 'failed'; problem: AdapterProblem }>;
  /** The error with which every execution fails. */
  end: AdapterErrorCode | null;
  remark: string | null;
  /** Whether other transactions used the nonces of all pending actions. */
  isTaken: boolean;
  /** The claims of each transaction. Null if it has none. */
  claim: string | null;
} = { estimates: new Map(), end: null, remark: null, isTaken: false, claim: null };

function scripted(ledger: MemoryLedger, technology: string): AdapterDefinition {
  const adapter = memoryAdapter(ledger, { name: technology, technology });
  return {
    ...adapter,
    async open(...given) {
      const session = await adapter.open(...given);
      return {
        ...session,
        check: async (request) => ({ ...(await session.check(request)), readiness: 'estimate' }),
        async estimate(requests) {
          const estimates = await session.estimate(requests);
          return estimates.map((one, index) => {
            const address = requests[index]?.wallet.address ?? '';
            return script.estimates.get(address) ?? one;
          });
        },
        async advance(all) {
          const rounds = await session.advance(all);
          if (script.claim === null) return rounds;
          const claims = [script.claim];
          return rounds.map((one) => (one.done ? { ...one, result: { ...one.result, claims } } : one));
        },
        async confirm(request) {
          const { remark } = script;
          const confirmed = await session.confirm(request);
          const txIds = [...request.pending.keys()];
          const taken = {
            ...confirmed.cursor,
            blockHash: confirmed.cursor.hash,
            status: 'superseded',
          } as const;
          return {
            ...confirmed,
            outcomes: script.isTaken
              ? [...request.pending].map(([txId, { sequence, claims = [] }]) => ({
                  ...{ ...taken, txId, by: '0xother' },
                  claim: sequence === undefined ? (claims[0] ?? '') : nonceClaim(sequence),
                }))
              : confirmed.outcomes.map(endOf),
            ...(remark === null ? {} : { remarks: txIds.map((txId) => ({ txId, detail: remark })) }),
          };
        },
      };
    },
  };
}

function endOf(outcome: Outcome): Outcome {
  if (script.end === null || outcome.status !== 'succeeded') return outcome;
  const { contractAddress: _, ...executed } = outcome;
  const problem = { code: script.end, detail: 'Words of the ledger.' };
  return { ...executed, status: 'failed', problem };
}

const counted = createMemoryLedger({ autoMine: false });
const free = createMemoryLedger({ autoMine: false, sequence: 'none', expiry: 4, chainId: 7n });
const provoked = new Set<string>();
const nobody = '0x00000000000000000000000000000000000000aa';
let here: Installation;
let api: Api;

beforeAll(async () => {
  here = await install({}, [scripted(counted, 'counted'), scripted(free, 'free')], {
    ...{ tick: 100, patience: 200, patienceBlocks: 1, idlePatience: 200, slowPatience: 200 },
    ...{ replaceAgain: 100, replaceAgainBlocks: 1, changeAgain: 100 },
  });
  const add = (ledgerId: string, technology: string, properties: object) =>
    here.server.store.transaction((tx) =>
      here.server.registry.createLedger(tx, {
        ...{ projectUid: null, parentResourceUid: systemUid, ledgerId, name: ledgerId, technology },
        ...{ properties: { ...properties }, nodes: [{ uri: 'memory:' }] },
      }),
    );
  await add('counted', 'counted', { development: true });
  await add('single', 'counted', { max_in_flight: 1 });
  await add('free', 'free', { retries: 1, retry_delay: 3_600_000 });
  ({ api } = await addTenant(here.url, here.administrator, 'one'));
}, 180_000);
afterAll(() => here?.close());

async function addWallet(walletId: string, ledgerId = 'counted', more: object = {}): Promise<string> {
  const { walletAddress = '' } = await api.expect(201, 'POST', '/v1/cloud-wallet/wallets', {
    ...{ walletId, ledgerId, pluginParameters: { walletPassword }, ...more },
  });
  for (const ledger of [counted, free]) ledger.fund(walletAddress, 10n ** 18n);
  return walletAddress;
}

async function send(walletId: string, more: object = {}, technology = 'counted', native = {}) {
  const content = { [technology]: { version: '0.1.0', native_transaction_content: native } };
  const recipient = { lookup_service: { type: 'ledger', value: technology }, resource: nobody };
  const { actionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/send', {
    ...{ walletId, walletPassword, ...more },
    glo: {
      ...{ version: '0.1.0', type: 'transfer', options: { recipient, amount: '1' } },
      meta: { ledger: content },
    },
  });
  return actionId;
}

const shown = (id: string) => api.expect<Shown>(200, 'GET', `${actionsPath}/${id}`);
const explained = (id: string) => api.expect<Explained>(200, 'GET', `${actionsPath}/${id}/explain`);
const textOf = ({ sentences }: Explained) => sentences.map(({ text }) => text).join(' ');
const cancel = (id: string) => api.call('POST', `${actionsPath}/${id}/cancel`);

/** Waits until the action is explained as pending for the reason. */
async function explains(id: string, code: PendingCode): Promise<Explained> {
  const said = await vi.waitFor(async () => {
    const now = await explained(id);
    expect(now.summary).toContain(pendingTexts[code].waits);
    return now;
  }, wait);
  expect(said.next).not.toEqual([]);
  provoked.add(code);
  return said;
}

/** Checks that lists by reason contain the action only for this reason. */
async function isListed(id: string, code: PendingCode): Promise<void> {
  for (const reason of [code, 'late']) {
    const { actions } = await api.expect<Listed>(200, 'GET', `${actionsPath}?reason=${reason}`);
    expect(actions.some(({ actionId }) => actionId === id)).toBe(reason === code);
  }
}

/** Waits until the action fails, and returns the explanation. */
async function fails(id: string, name?: EndProblem): Promise<string> {
  await vi.waitFor(async () => expect((await shown(id)).status).not.toBe('PENDING'), wait);
  const { problem } = await shown(id);
  const end = endProblems.find((one) => problemType(one) === problem?.type);
  if (name !== undefined) expect(end).toBe(name);
  const said = await explained(id);
  const because = end === 'cancelled' ? '' : 'it failed, because ';
  expect(said.summary).toContain(`: ${because}${endTexts[end ?? 'reverted'].failed}`);
  if (end !== undefined) provoked.add(`end:${end}`);
  return textOf(said);
}

async function succeeds(ledger: MemoryLedger, id: string): Promise<void> {
  await vi.waitFor(async () => {
    ledger.mine();
    expect((await shown(id)).status).toBe('SUCCEEDED');
  }, wait);
}

test('the explanation of a waiting action contains the reason that an estimate returned', async () => {
  const address = await addWallet('estimated');
  const codes = [
    ['funds', 'insufficient-funds'],
    ['fee-cap', 'fee-above-cap'],
    ['approvals', 'approvals-missing'],
    ['refused', 'refused'],
    ['ledger-unavailable', 'unavailable'],
    ['plugin-fault', 'adapter-fault'],
  ] as const;
  for (const [code, adapterCode] of codes) {
    script.estimates.set(address, {
      status: 'wait',
      problem: { code: adapterCode, detail: `Words of ${code}.` },
    });
    const id = await send('estimated');
    const said = await explains(id, code);
    await isListed(id, code);
    const { waitingSince } = await shown(id);
    expect(textOf(said)).toContain(`It has been waiting since ${waitingSince}: `);
    expect(textOf(said)).toMatch(new RegExp(`Words of ${code}\\. .*nothing was sent`));
    expect(said.next.at(-1)).toEqual({
      action: 'Cancel the action, so that it is never signed.',
      request: { method: 'POST', path: `${actionsPath}/${id}/cancel` },
      permission: 'wallet:transact',
    });
    expect((await cancel(id)).status).toBe(200);
    expect(await fails(id, 'cancelled')).toContain('Nothing was ever signed or sent for the action');
  }
  script.estimates.delete(address);
});

test('the explanation names the pending dependencies of an action, and later its result', async () => {
  const address = await addWallet('first');
  const first = await send('first');
  const said = await explains(first, 'confirmation');
  expect(textOf(said)).toMatch(/The action was signed at .*have the same nonce/);
  const dependent = await send('first', { dependencies: [first] });
  const waits = await explains(dependent, 'dependencies');
  await isListed(dependent, 'dependencies');
  expect(textOf(waits)).toContain(`The action waits for ${first}.`);
  expect(waits.next[0]?.request?.path).toBe(`${actionsPath}/${first}/explain`);

  script.estimates.set(address, { status: 'failed', problem: { code: 'reverted', detail: 'No.' } });
  const behind = await send('first');
  await explains(behind, 'earlier-actions');
  await cancel(behind);
  script.estimates.delete(address);

  const late = await send('first', { dependencies: [first] });
  await here.server.store.transaction((tx) =>
    tx.run('UPDATE action SET deadline = created_at WHERE id = $1', [late]),
  );
  await fails(late, 'deadline-passed');
  const demanding = await send('first', { dependencies: [first] }, 'counted', { nonce: '99' });
  const orphan = await send('first', { dependencies: [first] });
  await here.server.store.transaction((tx) =>
    tx.run("UPDATE action SET plugin = 'gone' WHERE id = $1", [orphan]),
  );
  await succeeds(counted, first);
  await fails(demanding, 'nonce-conflict');
  await explains(orphan, 'plugin-unavailable');
  await cancel(orphan);
  await succeeds(counted, dependent);
  expect((await explained(dependent)).summary).toContain('it has succeeded');

  const failing = await send('first');
  const doomed = await send('first', { dependencies: [failing] });
  script.end = 'reverted';
  counted.mine();
  expect(await fails(failing, 'reverted')).toContain('Words of the ledger.');
  expect(await fails(doomed, 'dependency-failed')).toContain(`Failed dependencies: ${failing}.`);
  script.end = null;
});

test('the explanation of an action of a suspended wallet contains the reason for the suspension', async () => {
  await addWallet('held');
  const body = { walletId: 'held', reason: 'Its password may be known.' };
  const { suspensionId } = await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', body);
  const id = await send('held');
  const text = textOf(await explains(id, 'suspended'));
  expect(text).toContain('Its password may be known.');
  expect(text).not.toContain('nothing can be lost or happen twice');
  await isListed(id, 'suspended');
  await api.expect(204, 'DELETE', `/v1/ledger-ops/suspensions/${suspensionId}`);
  await succeeds(counted, id);
});

test('the explanation says that an action waits for an earlier one of its wallet', async () => {
  await addWallet('single', 'single');
  const first = await send('single');
  await explains(first, 'confirmation');
  const next = await send('single');
  await explains(next, 'turn');
  await isListed(next, 'turn');
  await succeeds(counted, first);
  await succeeds(counted, next);
});

test('the explanation says that an action waits because the ledger requires a lower nonce first', async () => {
  const address = await addWallet('gap');
  await here.server.store.transaction((tx) =>
    tx.run('UPDATE sequence SET next = 3 WHERE address = $1', [address]),
  );
  const id = await send('gap');
  await explains(id, 'nonce-gap');
  await cancel(id);
});

test('the explanation says why an action is late, and why the service gave it up', async () => {
  await addWallet('late');
  counted.blockGas = 1n;
  const id = await send('late');
  await vi.waitFor(async () => {
    counted.mine();
    expect((await shown(id)).pending?.code).toBe('late');
  }, wait);
  await explains(id, 'late');
  script.remark = 'Its block is too small.';
  counted.mine();
  expect(textOf(await explains(id, 'ledger-remark'))).toContain('Its block is too small.');
  script.remark = null;
  await vi.waitFor(async () => {
    counted.mine();
    expect(counted.pool.some(({ value }) => value === 0n)).toBe(true);
  }, wait);
  counted.blockGas = undefined;
  counted.mine();
  expect(await fails(id, 'dropped')).toContain('The empty transaction used its nonce');
});

test('the explanation says why a requested cancellation or fee increase cannot be sent yet', async () => {
  await addWallet('hurried');
  const id = await send('hurried');
  await explains(id, 'confirmation');
  await api.expect(202, 'POST', `${actionsPath}/${id}/hurry`, { maxFee: '0x1' });
  const said = await explains(id, 'change-hindered');
  expect(said.next[0]?.request).toEqual({ method: 'POST', path: `${actionsPath}/${id}/hurry` });
  expect(textOf(said)).toContain('A higher fee was requested but has not been sent yet.');
  expect((await cancel(id)).status).toBe(202);
  counted.mine();
  await vi.waitFor(async () => {
    counted.mine();
    expect((await shown(id)).status).not.toBe('PENDING');
  }, wait);
  const { problem } = await shown(id);
  const canceled = problem?.type === problemType('cancelled');
  expect(textOf(await explained(id))).toContain(
    `Cancellation was requested${canceled ? ' and has completed' : ', but the ledger executed the action first'}.`,
  );
});

test('the explanation says that a transaction expired, and that another one replaced it', async () => {
  await addWallet('again', 'free');
  const forgetting = free.script({ kind: 'acceptButForget', times: Number.POSITIVE_INFINITY });
  const id = await send('again', {}, 'free');
  await vi.waitFor(() => expect(forgetting.fired).toBeGreaterThan(0), wait);
  free.mine(2);
  const said = await explains(id, 'expiring');
  expect(said.next.map(({ request }) => request?.path)).toEqual([`${actionsPath}/${id}/events`]);
  await here.server.store.transaction((tx) => tx.run('UPDATE attempt SET n = 99 WHERE action_id = $1', [id]));
  free.mine(3);
  await fails(id, 'expired');
  forgetting.clear();

  free.script({ kind: 'invalidate' });
  const other = await send('again', {}, 'free');
  await vi.waitFor(() => expect(free.pool).toHaveLength(1), wait);
  free.mine();
  expect(textOf(await explains(other, 'next-transaction'))).toContain(
    'The earlier transaction of the action is finished on the ledger',
  );
  await cancel(other);
});

test('the explanation of a failed action contains the message of every failure that a plugin can report', async () => {
  await addWallet('failing');
  counted.autoMine = true;
  for (const code of adapterErrorCodes) {
    script.end = code;
    expect(await fails(await send('failing'))).toContain('Words of the ledger.');
  }
  script.end = null;
  counted.autoMine = false;
});

test('the explanation says that an action failed because its nonce or coin was used, or because the chain was reset', async () => {
  await addWallet('lost', 'counted', { exclusive: false });
  const taken = await send('lost');
  await explains(taken, 'confirmation');
  script.isTaken = true;
  counted.mine();
  await fails(taken, 'nonce-taken');
  script.isTaken = false;
  script.claim = 'coin';
  await addWallet('spent', 'free');
  const spent = await send('spent', {}, 'free');
  await explains(spent, 'confirmation');
  script.isTaken = true;
  free.mine();
  expect(await fails(spent, 'claim-taken')).toContain('0xother used coin, which this action needs');
  script.isTaken = false;
  script.claim = null;
  const reset = await send('lost');
  await vi.waitFor(async () => expect((await shown(reset)).pending?.code).toBeDefined(), wait);
  counted.reset();
  counted.mine();
  await fails(reset, 'chain-reset');
});

test('every pending code and every final problem has a test in this file', () => {
  expect([...provoked].toSorted(), 'each of these needs a test in this file').toEqual(
    [...Object.keys(pendingCodes), ...endProblems.map((name) => `end:${name}`)].toSorted(),
  );
});
