import { lamports } from '@solana/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage, signer } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.ledger.stop());

const post = (body: string, type = 'application/json') =>
  fetch(stage.ledger.url, { method: 'POST', headers: { 'content-type': type }, body });

// biome-ignore lint/suspicious/noExplicitAny: answers of any form, which the tests look at
const call = async (method: string, ...params: unknown[]): Promise<any> =>
  (await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))).json();

test('keeps connections open for 65 seconds between requests', async () => {
  expect((await post('[]')).headers.get('keep-alive')).toBe('timeout=65');
});

test('RPC methods report the chain’s genesis, slots, heights and versions', async () => {
  const { rpc } = stage;
  const first = await rpc.getFirstAvailableBlock().send();
  expect(await rpc.minimumLedgerSlot().send()).toBe(first);
  const genesis = await rpc.getGenesisHash().send();
  await stage.ledger.rpc('devnet_mine', [3]);
  const slot = await rpc.getSlot().send();
  expect(slot).toBe(first + (await rpc.getBlockHeight().send()));
  const block = await rpc.getBlock(first, { transactionDetails: 'none', rewards: false }).send();
  expect(block).toEqual({
    blockHeight: 0n,
    blockTime: await rpc.getBlockTime(first).send(),
    blockhash: genesis,
    parentSlot: first,
    previousBlockhash: '11111111111111111111111111111111',
  });
  expect(await rpc.getBlocks(first, first + 2n).send()).toEqual([first, first + 1n, first + 2n]);
  expect(await rpc.getBlocksWithLimit(first, 2).send()).toEqual([first, first + 1n]);
  expect(await rpc.getVersion().send()).toEqual({ 'solana-core': '4.2.0', 'feature-set': 0 });
  expect(await rpc.getHealth().send()).toBe('ok');
  const { absoluteSlot, epoch, slotIndex, slotsInEpoch } = await rpc.getEpochInfo().send();
  const schedule = await rpc.getEpochSchedule().send();
  expect(absoluteSlot).toBe(slot);
  expect(schedule.firstNormalSlot + (epoch - schedule.firstNormalEpoch) * slotsInEpoch + slotIndex).toBe(
    slot,
  );
  const { value } = await rpc.getSupply({ excludeNonCirculatingAccountsList: true }).send();
  expect(value.circulating + value.nonCirculating).toBe(value.total);
});

test('returns a block with the requested transaction details in every encoding', async () => {
  const { rpc } = stage;
  const { address } = await signer('shown');
  const signature = await rpc.requestAirdrop(address, lamports(1_000_000_000n)).send();
  const { slot } = await stage.landed(signature);
  const common = { commitment: 'confirmed', rewards: false, maxSupportedTransactionVersion: 0 } as const;
  const full = async (encoding: 'json' | 'base64' | 'base58' | 'jsonParsed') =>
    (await call('getBlock', Number(slot), { ...common, encoding })).result.transactions[0];
  const [json, base64, base58, parsed] = [
    await full('json'),
    await full('base64'),
    await full('base58'),
    await full('jsonParsed'),
  ];
  expect(json).toMatchObject({ version: 'legacy', transaction: { signatures: [signature] } });
  expect(base64.transaction[1]).toBe('base64');
  expect(base58.transaction[1]).toBe('base58');
  expect(base64.meta).toEqual(json.meta);
  expect(parsed.transaction.message.accountKeys[1]).toEqual({
    pubkey: address,
    signer: false,
    writable: true,
    source: 'transaction',
  });
  const accounts = await rpc.getBlock(slot, { ...common, transactionDetails: 'accounts' }).send();
  expect(accounts?.transactions[0]?.meta).toMatchObject({ err: null, fee: 5000n });
  const names = await rpc.getBlock(slot, { ...common, transactionDetails: 'signatures' }).send();
  expect(names?.signatures).toEqual([signature]);
});

test('returns accounts in every encoding, complete or in part', async () => {
  const program = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
  const show = async (config: object) => (await call('getAccountInfo', program, config)).result?.value.data;
  const dataSlice = { offset: 0, length: 4 };
  expect(await show({ encoding: 'base64', dataSlice })).toEqual([
    Buffer.from('\x7fELF').toString('base64'),
    'base64',
  ]);
  expect(await show({ encoding: 'base58', dataSlice })).toEqual([expect.any(String), 'base58']);
  expect((await show({ encoding: 'base64+zstd' }))[1]).toBe('base64+zstd');
  expect((await show({ encoding: 'jsonParsed' }))[1]).toBe('base64');
  expect(await call('getAccountInfo', program, { encoding: 'base58' })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining('use base64') },
  });
  const { address } = await signer('nobody');
  const both = await call('getMultipleAccounts', [program, address], { encoding: 'base64', dataSlice });
  expect(both.result.value).toMatchObject([{ executable: true, space: 2304 }, null]);
  // A 64-bit value that a double cannot represent.
  await stage.fund(address, 1);
  const text = await (
    await post(
      `{"jsonrpc":"2.0","id":1,"method":"getAccountInfo","params":["${address}",{"commitment":"processed"}]}`,
    )
  ).text();
  expect(text).toContain('"rentEpoch":18446744073709551615');
});

test('refuses invalid requests and explains the error', async () => {
  const { address } = await signer('wrong');
  const wrong = async (method: string, ...params: unknown[]) => {
    const { error } = await call(method, ...params);
    return [error?.code, error?.message];
  };
  expect(await wrong('getClusterNodes')).toEqual([-32601, 'Method not found: getClusterNodes']);
  expect(await wrong('constructor')).toEqual([-32601, 'Method not found: constructor']);
  expect(await wrong('getBalance', 'x')).toEqual([
    -32602,
    'Invalid params: the address must be 32 bytes in base58',
  ]);
  expect(await wrong('getBalance', address, { commitment: 'max' })).toEqual([
    -32602,
    'Invalid params: commitment must be one of processed, confirmed, finalized',
  ]);
  expect(await wrong('getBalance', address, {}, 1, 2, 3)).toEqual([
    -32602,
    'Invalid params: at most 4 parameters, not 5',
  ]);
  expect((await wrong('getMultipleAccounts', Array(101).fill(address)))[1]).toContain('the maximum is 100');
  expect((await wrong('getBlocks', 0, 600_000))[1]).toContain('Slot range too large; max 500000');
  expect((await wrong('getBlock', 5, { commitment: 'processed' }))[1]).toContain('below `confirmed`');
  expect((await wrong('getTokenSupply', address))[1]).toContain('could not find mint');
  expect((await wrong('sendTransaction', 'AAAA', { encoding: 'base64' }))[1]).toContain('cannot be read');
  const large = Buffer.alloc(1300).toString('base64');
  expect((await wrong('sendTransaction', large, { encoding: 'base64' }))[1]).toContain('the maximum is 1232');
  expect((await wrong('requestAirdrop', address, 2_000_000_000_000_000))[1]).toContain('gives at most');
  expect((await wrong('devnet_mine', -1))[1]).toContain('must be an integer');
});

test('limits the size of requests, and answers each call of a batch', async () => {
  expect((await fetch(stage.ledger.url)).status).toBe(405);
  expect((await post('{}', 'text/plain')).status).toBe(415);
  const one = { jsonrpc: '2.0', id: 7, method: 'getHealth' };
  const batch = await (await post(JSON.stringify([one, { ...one, id: 'b', method: 'no' }, 5]))).json();
  expect(batch).toEqual([
    { jsonrpc: '2.0', result: 'ok', id: 7 },
    { jsonrpc: '2.0', error: { code: -32601, message: 'Method not found: no' }, id: 'b' },
    {
      jsonrpc: '2.0',
      error: { code: -32600, message: 'Invalid request: a call must be an object' },
      id: null,
    },
  ]);
  expect(await (await post(JSON.stringify(Array(101).fill(one)))).json()).toMatchObject({
    error: { code: -32600, message: 'Invalid request: a batch must have 1 to 100 calls' },
  });
  expect(await (await post('nonsense')).json()).toMatchObject({ error: { code: -32700 }, id: null });
  expect(await (await post('{"jsonrpc":"2.0","method":"getHealth"}')).text()).toBe('');
  const refused = await post(`"${'x'.repeat(60_000)}"`).then(
    ({ status }) => status,
    // The connection may close while the rest of the body is being sent.
    () => 413,
  );
  expect(refused).toBe(413);
});

test('creates blocks automatically if a slot time is set', async () => {
  const timed = await openStage({ slotTime: 5 });
  try {
    await expect.poll(async () => Number(await timed.rpc.getBlockHeight().send())).toBeGreaterThan(3);
  } finally {
    await timed.ledger.stop();
  }
});
