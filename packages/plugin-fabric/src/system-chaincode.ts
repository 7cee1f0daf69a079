import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { integer, octetString, sequence } from './der.ts';
import { classify } from './errors.ts';
import { PeerFailure } from './peer-failure.ts';
import type { PeerNode } from './peer-node.ts';
import { type Question, type Reader, readable } from './reader.ts';
import { readBlock, type TransactionInBlock } from './transaction-content.ts';

/** A block that holds a transaction, and who showed it. */
export interface BlockOfTransaction {
  number: number;
  transactions: TransactionInBlock[];
  peer: PeerNode;
}

/** What the peers' own chaincode (qscc, cscc) tells, read as the observer. */
export interface SystemChaincode {
  /** Number of blocks, as the first peer that works has it itself, or this one. */
  height(channel: string, peer?: PeerNode): Promise<number>;
  /** Hash of block 0, `0x` hex. */
  genesis(channel: string, peer?: PeerNode): Promise<string>;
  /**
   * All transactions of the block that holds this one, as the first peer that works has it itself, or this one; undefined
   * where that does not know it.
   */
  blockOf(channel: string, txId: string, peer?: PeerNode): Promise<BlockOfTransaction | undefined>;
  /** The newest configuration block, as a gateway or as one peer has it. */
  configBlock(channel: string, peer?: PeerNode): Promise<common.Block>;
}

/** @param timeout milliseconds for one question */
export function createSystemChaincode(reader: Reader, timeout: number): SystemChaincode {
  /** A gateway may hand a question on to another peer; where it matters who speaks, the peer itself is asked. */
  async function ask<Answer>(question: Question, read: (bytes: Uint8Array) => Answer, peer?: PeerNode) {
    return peer === undefined
      ? reader.askAny(question, timeout, read)
      : { peer, answer: readable(await reader.askPeer(peer, question, timeout), read) };
  }

  return {
    async height(channel, peer) {
      const question = { channel, chaincode: 'qscc', method: 'GetChainInfo', args: [channel] };
      const { answer } = await ask(
        question,
        (bytes) => common.BlockchainInfo.deserializeBinary(bytes).getHeight(),
        peer,
      );
      return answer;
    },
    async genesis(channel, peer) {
      const question = { channel, chaincode: 'qscc', method: 'GetBlockByNumber', args: [channel, '0'] };
      const answer = await (peer === undefined
        ? reader.ask(question, timeout)
        : reader.askPeer(peer, question, timeout));
      return readable(answer, (bytes) => hashOf(common.Block.deserializeBinary(bytes)));
    },
    async blockOf(channel, txId, asked) {
      const question = { channel, chaincode: 'qscc', method: 'GetBlockByTxID', args: [channel, txId] };
      try {
        const { peer, answer } = await ask(
          question,
          (bytes) => readBlock(common.Block.deserializeBinary(bytes)),
          asked,
        );
        return { ...answer, peer };
      } catch (error) {
        if (error instanceof PeerFailure && classify(error).kind === 'not-found') return undefined;
        throw error;
      }
    },
    async configBlock(channel, peer) {
      const question = { channel, chaincode: 'cscc', method: 'GetConfigBlock', args: [channel] };
      const answer = await (peer === undefined
        ? reader.ask(question, timeout)
        : reader.askPeer(peer, question, timeout));
      return readable(answer, (bytes) => common.Block.deserializeBinary(bytes));
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
