import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { integer, octetString, sequence } from './der.ts';
import { classify } from './errors.ts';
import { PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import type { Reader } from './reader.ts';
import { readBlock, type TransactionInBlock } from './transaction-content.ts';

/** What the peers' own chaincode (qscc, cscc) tells, read as the observer. */
export interface SystemChaincode {
  /** Number of blocks. */
  height(channel: string, peer?: PeerNode): Promise<number>;
  /** Hash of block 0, `0x` hex. */
  genesis(channel: string): Promise<string>;
  /** All transactions of the block that holds this one; undefined where the ledger does not know it. */
  blockOf(
    channel: string,
    txId: string,
    peer?: PeerNode,
  ): Promise<{ number: number; transactions: TransactionInBlock[] } | undefined>;
  /** The newest configuration block. */
  configBlock(channel: string, peer?: PeerNode): Promise<common.Block>;
}

/** @param timeout milliseconds for one question */
export function createSystemChaincode(reader: Reader, timeout: number): SystemChaincode {
  const ask = (channel: string, chaincode: string, method: string, args: string[], peer?: PeerNode) =>
    reader.ask({ channel, chaincode, method, args }, timeout, peer);

  return {
    async height(channel, peer) {
      const bytes = await ask(channel, 'qscc', 'GetChainInfo', [channel], peer);
      return common.BlockchainInfo.deserializeBinary(bytes).getHeight();
    },
    async genesis(channel) {
      const block = common.Block.deserializeBinary(
        await ask(channel, 'qscc', 'GetBlockByNumber', [channel, '0']),
      );
      return hashOf(block);
    },
    async blockOf(channel, txId, peer) {
      try {
        const bytes = await ask(channel, 'qscc', 'GetBlockByTxID', [channel, txId], peer);
        return readBlock(common.Block.deserializeBinary(bytes));
      } catch (error) {
        if (error instanceof PeerFailure && classify(error).kind === 'not-found') return undefined;
        throw error;
      }
    },
    configBlock: async (channel, peer) =>
      common.Block.deserializeBinary(await ask(channel, 'cscc', 'GetConfigBlock', [channel], peer)),
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
