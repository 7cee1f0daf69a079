import { common, gateway, peer } from '@hyperledger/fabric-protos';
import { blockHash } from '../messages/block.ts';
import type { Connection } from './database.ts';

/** A committed block as sent on streams. */
export interface StoredBlock {
  number: number;
  block: common.Block;
  filtered: peer.FilteredBlock;
}

/** Position and code of a transaction's first occurrence. Later occurrences are duplicates without effect. */
export interface Position {
  block: number;
  position: number;
  code: number;
}

/** The blocks, with an index of their transactions. */
export interface Chain {
  /** Returns the number of the next block. */
  height(): number;
  lastHash(): Uint8Array;
  block(number: number): StoredBlock | undefined;
  byHash(hash: Uint8Array): StoredBlock | undefined;
  find(txId: string): Position | undefined;
  /** Returns the events of the block's valid transactions, in order. */
  events(number: number): gateway.ChaincodeEventsResponse;
  append(block: common.Block, filtered: peer.FilteredBlock): void;
  /** Has no effect if the transaction is already indexed. */
  index(txId: string, position: Position): void;
  addEvent(block: number, position: number, event: peer.ChaincodeEvent): void;
}

/** Number of parsed blocks in the cache, for the streams that follow the chain. */
const kept = 64;

interface BlockRow {
  number: number;
  bytes: Buffer;
  filtered: Buffer;
}

/** Opens the chain stored in a database. */
export function chainOf(connection: Connection): Chain {
  const last = connection.prepare<[], { number: number; hash: Buffer }>(
    'SELECT number, hash FROM block ORDER BY number DESC LIMIT 1',
  );
  const select = connection.prepare<[number], BlockRow>(
    'SELECT number, bytes, filtered FROM block WHERE number = ?',
  );
  const hashed = connection.prepare<[Uint8Array], { number: number }>(
    'SELECT number FROM block WHERE hash = ?',
  );
  const insert = connection.prepare('INSERT INTO block (number, hash, bytes, filtered) VALUES (?, ?, ?, ?)');
  const find = connection.prepare<[string], Position>('SELECT block, position, code FROM tx WHERE id = ?');
  const index = connection.prepare(
    'INSERT INTO tx (id, block, position, code) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const events = connection.prepare<[number], { bytes: Buffer }>(
    'SELECT bytes FROM event WHERE block = ? ORDER BY position',
  );
  const addEvent = connection.prepare(
    'INSERT INTO event (block, position, chaincode, bytes) VALUES (?, ?, ?, ?)',
  );
  const recent = new Map<number, StoredBlock>();
  const found = last.get();
  let height = found === undefined ? 0 : found.number + 1;
  let lastHash: Uint8Array = found?.hash ?? new Uint8Array();
  const load = (number: number) => {
    const row = select.get(number);
    return (
      row && {
        number,
        block: common.Block.deserializeBinary(row.bytes),
        filtered: peer.FilteredBlock.deserializeBinary(row.filtered),
      }
    );
  };
  const block = (number: number) => recent.get(number) ?? load(number);
  return {
    height: () => height,
    lastHash: () => lastHash,
    block,
    byHash: (hash) => {
      const row = hashed.get(hash);
      return row && block(row.number);
    },
    find: (txId) => find.get(txId),
    events: (number) => {
      const response = new gateway.ChaincodeEventsResponse();
      response.setBlockNumber(number);
      response.setEventsList(
        events.all(number).map(({ bytes }) => peer.ChaincodeEvent.deserializeBinary(bytes)),
      );
      return response;
    },
    append: (added, filtered) => {
      const header = added.getHeader() ?? new common.BlockHeader();
      lastHash = blockHash(header);
      insert.run(height, lastHash, added.serializeBinary(), filtered.serializeBinary());
      recent.set(height, { number: height, block: added, filtered });
      recent.delete(height - kept);
      height += 1;
    },
    index: (txId, position) => {
      index.run(txId, position.block, position.position, position.code);
    },
    addEvent: (number, position, event) => {
      addEvent.run(number, position, event.getChaincodeId(), event.serializeBinary());
    },
  };
}
