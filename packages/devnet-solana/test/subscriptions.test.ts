import { on, once } from 'node:events';
import { createSolanaRpcSubscriptions, lamports } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openStage, type Stage, signer } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ confirmed: 1, finalized: 3 });
});
afterAll(() => stage.ledger.stop());

let listening: AbortController;
beforeEach(() => {
  listening = new AbortController();
});
afterEach(() => listening.abort());

/** Reads notifications one by one. The client drops notifications that arrive before the first read. */
async function hear<Notification>(subscription: {
  subscribe(options: { abortSignal: AbortSignal }): Promise<AsyncIterable<Notification>>;
}) {
  const heard = (await subscription.subscribe({ abortSignal: listening.signal }))[Symbol.asyncIterator]();
  let next = heard.next();
  return async (): Promise<Notification> => {
    const { value, done } = await next;
    if (done) throw new Error('The subscription ended.');
    next = heard.next();
    return value;
  };
}

const mine = (blocks: number) => stage.ledger.rpc('devnet_mine', [blocks]);

test('notifies of a signature when its block reaches the commitment level, or immediately if it already has', async () => {
  const { address } = await signer('signature');
  await stage.ledger.rpc('devnet_pause');
  const signature = await stage.rpc.requestAirdrop(address, lamports(1_000_000_000n)).send();
  const levels = ['processed', 'confirmed', 'finalized'] as const;
  const told = await Promise.all(
    levels.map((commitment) => hear(stage.subscriptions.signatureNotifications(signature, { commitment }))),
  );
  const { slot } = await stage.ledger.rpc<{ slot: number }>('devnet_mine', [6]);
  const first = slot - 5;
  for (const next of told) expect((await next()).value).toEqual({ err: null });
  // Another client, because the first one would treat this as the same subscription and send no request.
  const other = createSolanaRpcSubscriptions(stage.ledger.wsUrl);
  const late = await hear(other.signatureNotifications(signature, { commitment: 'confirmed' }));
  expect(await late()).toMatchObject({ value: { err: null } });
  expect(await stage.status(signature)).toMatchObject({ slot: BigInt(first) });
  await stage.ledger.rpc('devnet_resume');
});

test('notifies of slots, roots, logs, accounts, programs and blocks', async () => {
  const [from, to] = await Promise.all([signer('told from'), signer('told to')]);
  await stage.fund(from.address, 2);
  await mine(3);
  const { subscriptions } = stage;
  const commitment = 'confirmed';
  const slots = await hear(subscriptions.slotNotifications());
  const roots = await hear(subscriptions.rootNotifications());
  const logs = await hear(subscriptions.logsNotifications({ mentions: [to.address] }, { commitment }));
  const account = await hear(
    subscriptions.accountNotifications(to.address, { commitment, encoding: 'base64' }),
  );
  const program = await hear(
    subscriptions.programNotifications(from.address, { commitment, encoding: 'base64' }),
  );
  const socket = new WebSocket(stage.ledger.wsUrl);
  await once(socket, 'open');
  const blocks = await hearBlocks(socket);
  const sent = await stage.send({
    payer: from,
    instructions: [getTransferSolInstruction({ source: from, destination: to.address, amount: 1_000_000n })],
  });
  await mine(4);
  const slot = await slots();
  expect(slot).toMatchObject({ slot: sent.slot, parent: sent.slot - 1n, root: sent.slot - 4n });
  expect(await roots()).toBe(sent.slot - 3n);
  expect((await logs()).value).toMatchObject({ signature: sent.signature, err: null });
  expect(await account()).toMatchObject({
    context: { slot: sent.slot },
    value: { lamports: 1_000_000n, owner: '11111111111111111111111111111111', space: 0n },
  });
  let block = await blocks();
  while (block.slot !== Number(sent.slot)) block = await blocks();
  expect(block.block.signatures).toEqual([sent.signature]);
  socket.close();
  // No account has this owner, so no notification is expected.
  listening.abort();
  await expect(program()).rejects.toThrow();
});

/** The client offers confirmed blocks only with an extra option, so this sends the request directly. */
async function hearBlocks(socket: WebSocket) {
  const messages = on(socket, 'message')[Symbol.asyncIterator]();
  const params = ['all', { commitment: 'confirmed', transactionDetails: 'signatures', showRewards: false }];
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'blockSubscribe', params }));
  await messages.next();
  return async (): Promise<{ slot: number; block: { signatures: string[] } }> => {
    const { value } = await messages.next();
    return JSON.parse(String(value?.[0])).params.result.value;
  };
}

test('explains invalid subscriptions and limits their number', async () => {
  const socket = new WebSocket(stage.ledger.wsUrl);
  await once(socket, 'open');
  const ask = async (text: string) => {
    socket.send(text);
    const [data] = await once(socket, 'message');
    return JSON.parse(String(data));
  };
  const call = (method: string, params: unknown[] = []) =>
    ask(JSON.stringify({ jsonrpc: '2.0', id: 'mine', method, params }));
  expect(await ask('{')).toMatchObject({ error: { code: -32700 }, id: null });
  expect(await call('getSlot')).toMatchObject({ error: { code: -32601 }, id: 'mine' });
  expect(await call('accountSubscribe', ['short'])).toMatchObject({
    error: { code: -32602, message: 'Invalid params: the address must be 32 bytes in base58' },
  });
  expect(await call('slotUnsubscribe', [1])).toMatchObject({ error: { code: -32602 } });
  const { result } = await call('rootSubscribe');
  expect(await call('rootUnsubscribe', [result])).toEqual({ jsonrpc: '2.0', result: true, id: 'mine' });
  for (let count = 0; count < 1000; count += 1) await call('rootSubscribe');
  expect(await call('rootSubscribe')).toMatchObject({
    error: { message: 'Invalid params: a connection can have at most 1000 subscriptions' },
  });
  socket.send('x'.repeat(60_000));
  await once(socket, 'close');
});
