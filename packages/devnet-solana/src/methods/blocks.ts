import type { Base58 } from '../base58.ts';
import type { View } from '../chain/chain.ts';
import type { BlockHead } from '../chain/store.ts';
import { codes, invalid, RpcError } from '../rpc/error.ts';
import { address, blockViewOf, type Config, flag, object, viewOf } from '../rpc/params.ts';
import { type TransactionView, transactionAnswer, transactionViewOf } from '../rpc/transaction-answers.ts';
import { epochOf, epochSchedule } from '../runtime/epoch.ts';
import { decodeTransaction } from '../transactions/decode.ts';
import { accountsIn } from '../transactions/execute.ts';
import { assertHealthy, type Method, type Node, version, withContext } from './node.ts';

const mostBlocks = 500_000;
const feeBlocks = 150;
const mostFeeAccounts = 128;

/** Methods that read blocks, slots and blockhashes. */
export const blockMethods: Record<string, Method> = {
  getHealth({ chain }) {
    assertHealthy(chain);
    return 'ok';
  },
  getVersion: () => ({ 'solana-core': version, 'feature-set': 0 }),
  getGenesisHash: ({ chain }) => chain.genesisHash,
  getIdentity: ({ chain }) => ({ identity: chain.genesisHash }),
  getSlot: ({ chain }, params) => viewOf(chain, params.config(0)).head.slot,
  getBlockHeight: ({ chain }, params) => viewOf(chain, params.config(0)).head.height,
  getTransactionCount: ({ chain }, params) =>
    chain.store.countTransactions(viewOf(chain, params.config(0)).head.slot),
  getFirstAvailableBlock: firstSlot,
  minimumLedgerSlot: firstSlot,
  getEpochSchedule: () => epochSchedule,

  getEpochInfo({ chain }, params) {
    const { head } = viewOf(chain, params.config(0));
    return {
      absoluteSlot: head.slot,
      blockHeight: head.height,
      ...epochOf(head.slot),
      slotsInEpoch: epochSchedule.slotsPerEpoch,
      transactionCount: chain.store.countTransactions(head.slot),
    };
  },

  getLatestBlockhash({ chain }, params) {
    const view = viewOf(chain, params.config(0));
    const { blockhash } = view.head;
    const lastValidBlockHeight = chain.lastValidBlockHeight(blockhash, view);
    return withContext(view, { blockhash, lastValidBlockHeight });
  },

  isBlockhashValid({ chain }, params) {
    const view = viewOf(chain, params.config(1));
    const blockhash = params.address(0, 'the blockhash');
    return withContext(view, chain.lastValidBlockHeight(blockhash, view) !== undefined);
  },

  getBlock(node, params) {
    const config = blockConfig(params.at(1));
    const view = blockViewOf(node.chain, config);
    const head = blockAt(node, view, params.integer(0, 'the slot'));
    return blockAnswer(node, head, transactionViewOf(config), flag(config, 'rewards', true));
  },

  getBlockTime(node, params) {
    return blockAt(node, node.chain.view('confirmed'), params.integer(0, 'the slot')).time;
  },

  getBlockCommitment(_node, params) {
    params.integer(0, 'the slot');
    // The ledger has no votes.
    return { commitment: null, totalStake: 0 };
  },

  getBlocks({ chain }, params) {
    const first = params.integer(0, 'the first slot');
    const hasLast = typeof params.at(1) === 'number';
    const { head } = blockViewOf(chain, params.config(hasLast ? 2 : 1));
    const asked = hasLast ? params.integer(1, 'the last slot') : first + mostBlocks;
    const last = Math.min(asked, head.slot);
    if (last - first > mostBlocks) throw invalid(`Slot range too large; max ${mostBlocks}`);
    return chain.store.slots(first, last, mostBlocks + 1);
  },

  getBlocksWithLimit({ chain }, params) {
    const limit = params.integer(1, 'the limit');
    if (limit > mostBlocks) throw invalid(`Limit too large; max ${mostBlocks}`);
    const { head } = blockViewOf(chain, params.config(2));
    return chain.store.slots(params.integer(0, 'the first slot'), head.slot, limit);
  },

  getRecentPrioritizationFees({ chain }, params) {
    const given = params.at(0) === undefined ? [] : params.list(0, 'the accounts', mostFeeAccounts);
    const accounts = given.map((one, index) => address(one, `account ${index}`));
    const { head } = chain.view('processed');
    return chain.store
      .newestBlocks(feeBlocks)
      .filter(({ slot }) => slot <= head.slot)
      .reverse()
      .map(({ slot }) => {
        const prices = chain
          .offersOf(slot)
          .filter(({ writable }) => accounts.length === 0 || accounts.some((one) => writable.has(one)))
          .map(({ price }) => price);
        return { slot, prioritizationFee: prices.sort((a, b) => (a < b ? -1 : 1))[0] ?? 0 };
      });
  },
};

function firstSlot({ chain }: Node): number {
  return chain.store.firstBlock()?.slot ?? chain.tip.slot;
}

/** Older clients pass only the encoding instead of an object. */
const blockConfig = (value: unknown): Config =>
  typeof value === 'string' ? { encoding: value } : object(value ?? {}, 'the configuration');

function blockAt({ chain }: Node, { head }: View, slot: number): BlockHead {
  const found = slot <= head.slot ? chain.store.block(slot) : undefined;
  if (found !== undefined) return found;
  throw slot > head.slot
    ? new RpcError(codes.blockNotAvailable, `Block not available for slot ${slot}`)
    : new RpcError(
        codes.slotSkipped,
        `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
      );
}

/** Returns a block in a validator's format. @param mentioned only the transactions that name this address */
export function blockAnswer(
  { chain }: Node,
  head: BlockHead,
  view: TransactionView,
  rewards: boolean,
  mentioned?: Base58,
): object {
  const stored = (view.details === 'none' ? [] : chain.store.transactionsOf(head.slot)).filter(
    ({ wire, meta }) =>
      mentioned === undefined || accountsIn(decodeTransaction(wire), meta).includes(mentioned),
  );
  return {
    blockHeight: head.height,
    blockTime: head.time,
    blockhash: head.blockhash,
    parentSlot: head.parentSlot,
    previousBlockhash: head.previousBlockhash,
    ...(rewards ? { rewards: [] } : {}),
    ...(view.details === 'none'
      ? {}
      : view.details === 'signatures'
        ? { signatures: stored.map(({ id }) => id) }
        : { transactions: stored.map((one) => transactionAnswer(one, view)) }),
  };
}
