// @ts-check
import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { createUtxoLedger, UtxoNode } from '@ledger-ops/adapter-kit/utxo';
import { Address } from '@scure/btc-signer';
import { max } from '../src/coins.js';
import { coin, networks } from '../src/networks.js';
import { addressOf as addressOfKey, dustLimit, scriptOf } from '../src/transaction.js';

/**
 * @import { ConformanceHarness, SampleOperations } from '@ledger-ops/adapter-kit/conformance'
 * @import { UtxoLedger } from '@ledger-ops/adapter-kit/utxo'
 */

export const native = { technology: coin.technology, content: {} };
export const signer = createTestSigner('secp256k1', new Uint8Array(32).fill(7));

/** Key of another party, which receives the block rewards of a real node. */
export const miner = createTestSigner('secp256k1', new Uint8Array(32).fill(9));

/**
 * @param {{ publicKey: Uint8Array }} key
 * @param {string} network
 */
export function addressOf({ publicKey }, network) {
  const known = networks[network];
  if (known === undefined) throw new RangeError(`There is no network ${network}.`);
  return addressOfKey(publicKey, known);
}

/** @param {string} network */
export const ownAddress = (network) => addressOf(signer, network);

/**
 * An address of a new key.
 * @param {string} network
 */
export const freshAddress = (network) => addressOf(createTestSigner('secp256k1'), network);

/**
 * The lowest amount that can be sent to an address.
 * @param {string} address
 * @param {string} network
 */
export function dustOf(address, network) {
  const known = networks[network];
  return dustLimit((known && scriptOf(address, known)) ?? '');
}

/** Multiplier for amounts in tests. It grows with the ledger's minimum fee and dust limit. */
const scale = max(coin.relayRate, dustOf(ownAddress('regtest'), 'regtest') / 100n);
const [coinAmount, sentAmount] = [1_000_000n * scale, 5_000n * scale];

/**
 * @param {string} network
 * @returns {SampleOperations}
 */
export function samplesFor(network) {
  const recipient = freshAddress(network);
  const transfer = { type: /** @type {const} */ ('transfer'), recipient, amount: sentAmount, native };
  const other = network === 'mainnet' ? 'regtest' : 'mainnet';
  const pubKeyHash = Address(networks[network]).encode({ type: 'pkh', hash: new Uint8Array(20).fill(3) });
  return {
    transfer,
    invalid: [
      {
        why: 'a recipient that is not an address',
        operation: { ...transfer, recipient: `${networks[network]?.bech32}1qxyz` },
        code: 'invalid-argument',
        pointer: '/recipient/resource',
      },
      {
        why: 'a recipient on another network',
        operation: { ...transfer, recipient: freshAddress(other) },
        code: 'invalid-argument',
        pointer: '/recipient/resource',
      },
      {
        why: 'an amount below the dust limit of the recipient',
        operation: { ...transfer, amount: dustOf(recipient, network) - 1n },
        code: 'invalid-argument',
        pointer: '/amount',
      },
      {
        why: 'an amount below the higher dust limit of a P2PKH recipient',
        operation: { ...transfer, recipient: pubKeyHash, amount: dustOf(pubKeyHash, network) - 1n },
        code: 'invalid-argument',
        pointer: '/amount',
      },
      {
        why: 'an amount that no wallet holds',
        operation: { ...transfer, amount: coin.supply + 1n },
        code: 'invalid-argument',
        pointer: '/amount',
      },
      {
        why: 'data',
        operation: { ...transfer, data: '00' },
        code: 'unsupported-operation',
      },
    ],
    addresses: {
      good: [
        { given: recipient.toUpperCase(), normal: recipient },
        { given: pubKeyHash, normal: pubKeyHash },
      ],
      bad: ['0x12', `${recipient}q`, freshAddress(other)],
    },
  };
}

/**
 * The kit's ledger behind a node, with coins for the signer.
 * @param {{ coins?: number, amount?: bigint }} [options]
 */
export async function openLedger({ coins = 8, amount = coinAmount } = {}) {
  const ledger = createUtxoLedger(
    networks.regtest && { network: networks.regtest, genesis: networks.regtest.genesis },
  );
  [ledger.feeFloor, ledger.feeRate] = [coin.relayRate, 2n * coin.relayRate];
  const node = await UtxoNode.start(ledger);
  for (let index = 0; index < coins; index += 1) ledger.fund(ownAddress('regtest'), amount);
  ledger.mine();
  return { ledger, node };
}

/** @returns {Promise<ConformanceHarness>} */
export async function openLedgerHarness() {
  const { ledger, node } = await openLedger();
  ledger.mine(5);
  return {
    ledger: configOf(node.url, 'regtest', { confirmations: 1, polling_interval: 100 }),
    signer,
    samples: samplesFor('regtest'),
    hooks: {
      mine: async (blocks) => void ledger.mine(blocks),
      goDown: async () => node.goDown(),
      comeUp: async () => node.comeUp(),
      hang: async () => node.hang('getblockheader'),
      reorganise: async (depth) => void ledger.reorganise(depth, 'vanish'),
      raiseFees: async () => {
        ledger.feeRate *= 3n;
      },
      forget: async () => ledger.forgetPool(),
      takeClaim: async (claim) => {
        const recipient = freshAddress('regtest');
        const { privateKey } = signer;
        ledger.include(ledger.signOutside({ privateKey, coins: [claim], recipient }).bytes);
      },
      mineWith: async (bytes) => {
        ledger.include(bytes);
        ledger.mine();
      },
      deposit: async (address) => {
        const { privateKey } = miner;
        const from = addressOf(miner, 'regtest');
        const fee = 500n * coin.relayRate;
        const funding = ledger.fund(from, coinAmount);
        ledger.mine();
        const own = ledger.signOutside({ privateKey, coins: [funding], recipient: from, fee });
        ledger.submit(own.bytes);
        const coins = [`${own.txId}:0`];
        const payment = ledger.signOutside({ privateKey, coins, recipient: address, fee });
        ledger.include(own.bytes, payment.bytes);
        ledger.mine();
        return [payment, own].map(({ txId, inputs }) => ({ txId, claims: inputs.map((one) => one.coin) }));
      },
      executions: async (txId) => ledger.transactions.filter((one) => one.txId === txId).length,
    },
    close: () => node.close(),
  };
}

/**
 * @param {string} uri
 * @param {string} network
 * @param {Record<string, string | number>} [properties]
 */
export const configOf = (uri, network, properties = {}) => ({
  ledgerId: 'bitcoin',
  technology: coin.technology,
  properties: { network, ...properties },
  nodes: [{ nodeId: 'node', uri }],
});
