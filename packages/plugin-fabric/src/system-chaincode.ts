import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { integer, octetString, sequence } from './der.ts';
import { classify } from './errors.ts';
import { PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Reader } from './reader.ts';
import { readBlock, type TransactionInBlock } from './transaction-content.ts';

/** A block that holds a transaction, and who showed it. */
export interface BlockOfTransaction {
  number: number;
  transactions: TransactionInBlock[];
  peer: PeerNode;
}

/** What the peers' own chaincode (qscc, cscc) tells, read as the observer. */
export interface SystemChaincode {
  /** Number of blocks, as a gateway or as one peer has it. */
  height(channel: string, peer?: PeerNode): Promise<number>;
  /** Hash of block 0, `0x` hex. */
  genesis(channel: string): Promise<string>;
  /**
   * All transactions of the block that holds this one, as a gateway or as one peer has it; undefined where that does not
   * know it.
   */
  blockOf(channel: string, txId: string, peer?: PeerNode): Promise<BlockOfTransaction | undefined>;
  /** The newest configuration block, as a gateway or as one peer has it. */
  configBlock(channel: string, peer?: PeerNode): Promise<common.Block>;
}

/** @param timeout milliseconds for one question */
export function createSystemChaincode(reader: Reader, timeout: number): SystemChaincode {
  async function ask(channel: string, chaincode: string, method: string, args: string[], peer?: PeerNode) {
    const question = { channel, chaincode, method, args };
    return peer === undefined
      ? reader.askAny(question, timeout)
      : { peer, answer: await reader.askPeer(peer, question, timeout) };
  }

  return {
    async height(channel, peer) {
      const { answer } = await ask(channel, 'qscc', 'GetChainInfo', [channel], peer);
      return common.BlockchainInfo.deserializeBinary(answer).getHeight();
    },
    async genesis(channel) {
      const { answer } = await ask(channel, 'qscc', 'GetBlockByNumber', [channel, '0']);
      return hashOf(common.Block.deserializeBinary(answer));
    },
    async blockOf(channel, txId, asked) {
      try {
        const { peer, answer } = await ask(channel, 'qscc', 'GetBlockByTxID', [channel, txId], asked);
        return { ...readBlock(common.Block.deserializeBinary(answer)), peer };
      } catch (error) {
        if (error instanceof PeerFailure && classify(error).kind === 'not-found') return undefined;
        throw error;
      }
    },
    async configBlock(channel, peer) {
      const { answer } = await ask(channel, 'cscc', 'GetConfigBlock', [channel], peer);
      return common.Block.deserializeBinary(answer);
    },
  };
}

/** The hash of a block's header as the next block's `previous_hash` has it (Fabric: protoutil/blockutils.go). */
function hashOf(block: common.Block): string {
  const header = block.getHeader();
  if (header === undefined) throw new TypeError('A block without header.');
  const encoded = sequence(
    integer(BigInt(header.getNumber())),
    octetString(header.getPreviousHash_asU8()),
    octetString(header.getDataHash_asU8()),
  );
  return `0x${createHash('sha256').update(encoded).digest('hex')}`;
}
