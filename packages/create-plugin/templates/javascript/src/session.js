import { adapterError } from '@ledger-ops/adapter';
import { ledgerOf } from './ledger.js';
import { encode, idOf, messageOf, normalAddress } from './transaction.js';

/** Exceeds every possible balance. */
const most = 1n << 128n;

function invalid(pointer, detail) {
  return adapterError('invalid-argument', `${pointer} ${detail}.`, { issues: [{ pointer, detail }] });
}

function requireAddress(text, pointer) {
  const address = normalAddress(text);
  if (address === undefined) throw invalid(pointer, 'must be 64 hex digits');
  return address;
}

/**
 * A session holds no state: every call reads the ledger.
 * @param {import('@ledger-ops/adapter').LedgerConfig} ledger
 * @returns {import('@ledger-ops/adapter').Session}
 */
export function openSession({ properties }) {
  const ledger = ledgerOf(String(properties.network ?? 'main'));
  const blockTime = Number(properties.block_time ?? 100);
  const head = () => ({ height: ledger.head.height, hash: ledger.head.hash });

  return {
    chain: () => ({ id: `acorn:${ledger.name}`, genesis: ledger.genesis.hash }),
    head,
    onHead: (listener) => ledger.onBlock(({ height, hash }) => listener({ height, hash })),

    createWallet({ publicKey }) {
      const address = requireAddress(Buffer.from(publicKey).toString('hex'), '/publicKey');
      return { done: true, result: { address } };
    },
    normaliseAddress: (address) => requireAddress(address, '/address'),
    balances: (address) => ledger.balanceOf(requireAddress(address, '/address')),

    check({ operation }) {
      if (operation.type !== 'transfer' || operation.data !== undefined) {
        throw adapterError('unsupported-operation', 'This ledger supports only transfers.');
      }
      const { recipient, amount, native } = operation;
      const to = requireAddress(recipient, '/recipient/resource');
      if (amount >= most) throw invalid('/amount', 'must be below 2^128');
      // The server has validated the content with the schema in the description.
      const memo = String(native.content.memo ?? '');
      return { plan: { to, amount: `${amount}`, memo }, recipients: [to], cost: amount };
    },

    prepare({ actionId, wallet, plan }) {
      const transfer = {
        network: ledger.name,
        from: wallet.address,
        to: String(plan.to),
        amount: String(plan.amount),
        memo: String(plan.memo),
        nonce: actionId,
      };
      return {
        done: false,
        requests: [{ curve: 'ed25519', message: messageOf(transfer) }],
        state: transfer,
      };
    },
    advance({ state, signatures: [signature = new Uint8Array()] }) {
      // The state from `prepare`, unchanged.
      const transfer = state;
      const bytes = encode(transfer, signature);
      return { done: true, result: { txId: idOf(bytes), bytes, cost: BigInt(transfer.amount) } };
    },

    submit({ txId, bytes }) {
      const status = ledger.submit(bytes, blockTime);
      if (status !== 'refused') return { status };
      const detail = 'The bytes are not a signed transfer on this network.';
      throw adapterError('refused', detail, { txId });
    },
    confirm({ cursor, pending }) {
      const outcomes = [...pending.keys()].flatMap((txId) => {
        const found = ledger.find(txId);
        if (found === undefined) return [];
        const at = { txId, height: found.block.height, blockHash: found.block.hash };
        const { failure } = found.executed;
        if (failure === undefined) return [{ ...at, status: 'succeeded' }];
        const detail = `The transfer failed: ${failure}.`;
        return [{ ...at, status: 'failed', problem: { code: 'reverted', txId, detail } }];
      });
      const reorganised = cursor !== null && ledger.blocks[cursor.height]?.hash !== cursor.hash;
      return { cursor: head(), outcomes, reorganised };
    },

    /** Converts all other errors, which the ledger's client throws. */
    toAdapterError: (cause) =>
      adapterError('unavailable', 'The ledger does not respond. Try again.', { cause }),
  };
}
