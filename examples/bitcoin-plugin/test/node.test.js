// @ts-check
import { createTestSigner, describeAdapter, prepareAndSign } from '@ledger-ops/adapter-kit/conformance';
import { describe, test } from 'vitest';
import { networks } from '../src/networks.js';
import plugin from '../src/plugin.js';
import { addressOf, configOf, miner, native, samplesFor } from './harness.js';

const uri = process.env.BITCOIN_RPC;
/** Height from which SegWit is active on every development network, and enough block rewards can be spent. */
const startHeight = 450;

/**
 * @param {string} method
 * @param {unknown[]} params
 * @returns {Promise<any>}
 */
async function call(method, ...params) {
  const url = new URL(uri ?? '');
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`;
  [url.username, url.password] = ['', ''];
  const body = JSON.stringify({ jsonrpc: '1.0', id: 1, method, params });
  const headers = { authorization, 'content-type': 'application/json' };
  const answer = JSON.parse(await (await fetch(url, { method: 'POST', headers, body })).text());
  if (answer.error) throw Object.assign(new Error(`${method}: ${answer.error.message}`), answer.error);
  return answer.result;
}

/**
 * @param {number} blocks
 * @param {string} address
 */
async function mine(blocks, address) {
  try {
    await call('generatetoaddress', blocks, address);
  } catch {
    // btcd pays to the address of its option --miningaddr.
    await call('generate', blocks);
  }
}

/**
 * Sends a payment from the mining address, and mines a block with it.
 * @param {string} network
 * @param {string} recipient
 */
async function pay(network, recipient) {
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
  const session = await plugin.open(configOf(uri ?? '', network, { confirmations: 1 }), host);
  const material = { publicKey: Buffer.from(miner.publicKey).toString('hex') };
  const wallet = { address: addressOf(miner, network), material };
  const operation = { type: /** @type {const} */ ('transfer'), recipient, amount: 100_000_000n, native };
  const { plan } = await session.check({ wallet, operation });
  const [estimated] = await session.estimate([{ wallet, plan, minHeight: 0 }]);
  if (estimated?.status !== 'ready') throw new Error(estimated?.problem.detail);
  const request = { actionId: 'funding', wallet, plan: estimated.plan };
  const [answer] = await session.submit(await prepareAndSign(session, request, miner.sign));
  if (answer?.status !== 'accepted') throw new Error(answer?.problem?.detail);
  await mine(1, wallet.address);
  await session.close();
}

/** Opens a harness with its own wallet, so that block rewards do not change the balance. */
async function openNodeHarness() {
  const genesis = await call('getblockhash', 0);
  const network = Object.keys(networks).find((name) => networks[name]?.genesis === genesis);
  if (network === undefined) throw new Error(`No network has the first block ${genesis}.`);
  const rewarded = addressOf(miner, network);
  const missing = startHeight - (await call('getblockcount'));
  if (missing > 0) await mine(missing, rewarded);
  const signer = createTestSigner('secp256k1');
  for (let coins = 0; coins < 3; coins += 1) await pay(network, addressOf(signer, network));
  await mine(2, rewarded);
  return {
    ledger: configOf(uri ?? '', network, { confirmations: 1, polling_interval: 100 }),
    signer,
    samples: samplesFor(network),
    hooks: {
      mine: (/** @type {number} */ blocks) => mine(blocks, rewarded),
      executions: async (/** @type {string} */ txId) =>
        (await call('getrawtransaction', txId, 1)).blockhash === undefined ? 0 : 1,
    },
    patience: 60_000,
    close: async () => undefined,
  };
}

if (uri === undefined) {
  describe('Bitcoin on a real node', () => {
    test.skip('the Bitcoin plugin passes the conformance kit (set BITCOIN_RPC to the address of a regtest or simnet node)', () => {});
  });
  console.log('Skipped: BITCOIN_RPC does not name a regtest or simnet node.');
} else {
  describeAdapter({ name: 'Bitcoin on a real node', definition: plugin, open: openNodeHarness });
}
