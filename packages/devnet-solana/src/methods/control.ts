import { DevnetError } from '@ledger-ops/devnet';
import { invalid } from '../rpc/error.ts';
import type { Method, Node } from './node.ts';

const mostBlocks = 10_000;

/** Methods for tests that cause faults. Validators do not have them. */
export const controlMethods: Record<string, Method> = {
  devnet_status: status,

  /** Creates blocks, by default one. */
  devnet_mine(node, params) {
    const count = params.at(0) === undefined ? 1 : params.integer(0, 'the number of blocks');
    if (count > mostBlocks) throw invalid(`at most ${mostBlocks} blocks at once`);
    node.chain.mine(count);
    return status(node);
  },

  /** Skips slots: no block is created in them. */
  devnet_skipSlots(node, params) {
    const count = params.integer(0, 'the number of slots');
    if (count > 1_000_000) throw invalid('at most 1000000 slots at once');
    node.chain.skipSlots(count);
    return status(node);
  },

  /** Creates blocks only on devnet_mine. */
  devnet_pause(node) {
    node.producer.pause();
    return status(node);
  },

  devnet_resume(node) {
    node.producer.resume();
    return status(node);
  },

  /** Sets whether submitted transactions are answered normally and then dropped. */
  devnet_setDropping(node, params) {
    const dropping = params.at(0);
    if (typeof dropping !== 'boolean') throw invalid('the parameter must be true or false');
    node.chain.setDropping(dropping);
    return status(node);
  },

  /** Drops a waiting transaction. Returns whether it was waiting. */
  devnet_dropTransaction: ({ chain }, params) => chain.drop(params.signature(0, 'the signature')),

  /** Removes the newest blocks. Returns the lost transactions. */
  devnet_fork({ chain }, params) {
    try {
      return chain.takeBack(params.integer(0, 'the number of blocks'));
    } catch (error) {
      throw error instanceof DevnetError ? invalid(error.message) : error;
    }
  },

  /** Shows the chain as it was this many blocks ago, until another number is set. */
  devnet_setBehind(node, params) {
    const blocks = params.integer(0, 'the number of blocks');
    if (blocks > mostBlocks) throw invalid(`at most ${mostBlocks} blocks`);
    node.chain.setBehind(blocks);
    return status(node);
  },
};

function status({ chain, producer }: Node): object {
  return {
    slot: chain.tip.slot,
    height: chain.tip.height,
    slotsBehind: chain.slotsBehind(),
    pending: chain.pending,
    paused: producer.paused,
  };
}
