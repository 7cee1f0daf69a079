import { createHash } from 'node:crypto';
import { common } from '@hyperledger/fabric-protos';
import { adapterError } from '@ledger-ops/adapter';
import { integer, octetString, sequence } from '../identity/der.ts';
import { classify } from './errors.ts';
import type { Peer } from './peer.ts';
import { PeerError } from './peer-error.ts';
import { type Queries, type Query, readable } from './query.ts';
import { readBlock, type TransactionInBlock } from './transaction-content.ts';

/** A block that holds a transaction, and who showed it. */
export interface BlockOfTransaction {
  number: number;
  transactions: TransactionInBlock[];
  peer: Peer;
}

/** A block, with the hashes by which blocks name each other, `0x` hex. */
export interface BlockByNumber {
  number: number;
  hash: string;
  previousHash: string;
  transactions: TransactionInBlock[];
}

/** The peers' own chaincode about a channel: qscc, and cscc for the configuration. */
export interface Qscc {
  /** Number of blocks, as the first peer that works has it itself, or this one. */
  height(channel: string, peer?: Peer): Promise<number>;
  /** Hash of block 0, `0x` hex. */
  genesis(channel: string, peer?: Peer): Promise<string>;
  /**
   * All transactions of the block that holds this one, as the first peer that works has it itself, or this one; undefined
   * where that does not know it.
   */
  blockOf(channel: string, txId: string, peer?: Peer): Promise<BlockOfTransaction | undefined>;
  /** As the first peer that works and has it shows it. @throws AdapterError `unavailable` where it has not come as far */
  blockAt(channel: string, number: number): Promise<BlockByNumber>;
  /** The newest configuration block, as a gateway or as one peer has it. */
  configBlock(channel: string, peer?: Peer): Promise<common.Block>;
}

/** @param timeout milliseconds for one query */
export function createQscc(queries: Queries, timeout: number): Qscc {
  /** A gateway may hand a query on to another peer; where it matters who answers, the peer itself is asked. */
  async function ask<Answer>(query: Query, read: (bytes: Uint8Array) => Answer, peer?: Peer) {
    return peer === undefined
      ? queries.queryAnyPeer(query, timeout, read)
      : { peer, answer: readable(await queries.queryPeer(peer, query, timeout), read) };
  }

  return {
    async height(channel, peer) {
      const query = { channel, chaincode: 'qscc', method: 'GetChainInfo', args: [channel] };
      const { answer } = await ask(
        query,
        (bytes) => common.BlockchainInfo.deserializeBinary(bytes).getHeight(),
        peer,
      );
      return answer;
    },
    async genesis(channel, peer) {
      const query = { channel, chaincode: 'qscc', method: 'GetBlockByNumber', args: [channel, '0'] };
      const answer = await (peer === undefined
        ? queries.evaluate(query, timeout)
        : queries.queryPeer(peer, query, timeout));
      return readable(answer, (bytes) => hashOf(common.Block.deserializeBinary(bytes)));
    },
    async blockOf(channel, txId, asked) {
      const query = { channel, chaincode: 'qscc', method: 'GetBlockByTxID', args: [channel, txId] };
      try {
        const { peer, answer } = await ask(
          query,
          (bytes) => readBlock(common.Block.deserializeBinary(bytes)),
          asked,
        );
        return { ...answer, peer };
      } catch (error) {
        if (error instanceof PeerError && classify(error).kind === 'not-found') return undefined;
        throw error;
      }
    },
    async blockAt(channel, number) {
      const query = { channel, chaincode: 'qscc', method: 'GetBlockByNumber', args: [channel, `${number}`] };
      try {
        const { answer } = await ask(query, (bytes) => {
          const block = common.Block.deserializeBinary(bytes);
          const previous = Buffer.from(block.getHeader()?.getPreviousHash_asU8() ?? []).toString('hex');
          const read = readBlock(block);
          if (read.number !== number) throw new TypeError('Another block than the one that was asked for.');
          return { ...read, hash: hashOf(block), previousHash: `0x${previous}` };
        });
        return answer;
      } catch (error) {
        if (!(error instanceof PeerError) || classify(error).kind !== 'not-found') throw error;
        const detail = `The peer does not show block ${number} of channel ${channel} yet.`;
        throw adapterError('unavailable', detail, { cause: error });
      }
    },
    async configBlock(channel, peer) {
      const query = { channel, chaincode: 'cscc', method: 'GetConfigBlock', args: [channel] };
      const answer = await (peer === undefined
        ? queries.evaluate(query, timeout)
        : queries.queryPeer(peer, query, timeout));
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
