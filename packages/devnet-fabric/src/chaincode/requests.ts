import { peer } from '@hyperledger/fabric-protos';
import { ChaincodeError } from './error.ts';
import { createQueries, keyValues, modifications, type Page, type Queries, readPage } from './query.ts';
import type { Invocation } from './types.ts';

const { Type } = peer.ChaincodeMessage;
type MessageType = ReturnType<peer.ChaincodeMessage['getType']>;

/** Answers the requests that a chaincode sends during one transaction. */
export interface Requests {
  /**
   * @returns the payload of the response
   * @throws Error with the message for the chaincode, which then fails
   */
  answer(type: MessageType, payload: Uint8Array): Uint8Array | Promise<Uint8Array>;
  /** Closes the queries that the chaincode left open. */
  close(): void;
}

const noBytes = new Uint8Array();
/** Returns a peer's message, followed by the reason why this network has no collections. */
const noPrivateData = ({ channel, namespace }: Invocation, collection: string): string =>
  `collection ${channel}/${namespace}/${collection} could not be found: this development network has no private data collections; keep private data out of the state, or use a real peer`;
const noStateMetadata =
  "this development network has no key-level endorsement policies; the chaincode's policy applies to all keys";
const noRichQueries =
  'ExecuteQuery not supported for leveldb: rich queries need a peer with CouchDB; this development network supports only ranges and composite keys';

/** Creates the peer's side of one transaction, based on the invocation's simulator. */
export function createRequests(invocation: Invocation): Requests {
  const queries = createQueries();
  // As on a peer, a transaction that reads pages cannot write, because pages are not checked for phantom
  // reads.
  const done = { writes: false, pages: false };
  const unsupported = (why: string) => {
    throw new Error(`txid [${invocation.txId}]: unsupported transaction. ${why}`);
  };
  const rules: Rules = {
    writing() {
      if (done.pages)
        unsupported('Transaction has already performed a paginated query. Writes are not allowed');
      done.writes = true;
    },
    paging() {
      if (done.writes) unsupported('Paginated queries are supported only in a read-only transaction');
      done.pages = true;
    },
  };
  return {
    answer(type, payload) {
      const handler = handlers.get(type);
      if (handler === undefined) throw new Error('a peer of Fabric 2.5 does not know this request');
      return handler(invocation, payload, queries, rules);
    },
    close: () => queries.closeAll(),
  };
}

interface Rules {
  writing(): void;
  paging(): void;
}

type Handler = (
  invocation: Invocation,
  payload: Uint8Array,
  queries: Queries,
  rules: Rules,
) => Uint8Array | Promise<Uint8Array>;

const handlers = new Map<MessageType, Handler>([
  [
    Type.GET_STATE,
    (invocation, payload) => {
      const request = peer.GetState.deserializeBinary(payload);
      noCollection(invocation, request);
      return invocation.simulator.getState(invocation.namespace, request.getKey()) ?? noBytes;
    },
  ],
  [
    Type.PUT_STATE,
    (invocation, payload, _queries, rules) => {
      const request = peer.PutState.deserializeBinary(payload);
      noCollection(invocation, request);
      rules.writing();
      invocation.simulator.putState(invocation.namespace, request.getKey(), request.getValue_asU8());
      return noBytes;
    },
  ],
  [
    Type.DEL_STATE,
    (invocation, payload, _queries, rules) => {
      const request = peer.DelState.deserializeBinary(payload);
      noCollection(invocation, request);
      rules.writing();
      invocation.simulator.deleteState(invocation.namespace, request.getKey());
      return noBytes;
    },
  ],
  [
    Type.GET_STATE_BY_RANGE,
    (invocation, payload, queries, rules) => {
      const request = peer.GetStateByRange.deserializeBinary(payload);
      noCollection(invocation, request);
      const { simulator, namespace } = invocation;
      const page = pageOf(request.getMetadata_asU8());
      if (page === undefined)
        return queries.open(
          keyValues(simulator.range(namespace, request.getStartkey(), request.getEndkey())),
        );
      rules.paging();
      const from = page.bookmark === '' ? request.getStartkey() : page.bookmark;
      return readPage(simulator.range(namespace, from, request.getEndkey()), page.size);
    },
  ],
  [
    Type.GET_HISTORY_FOR_KEY,
    ({ simulator, namespace }, payload, queries) => {
      const key = peer.GetHistoryForKey.deserializeBinary(payload).getKey();
      return queries.open(modifications(simulator.history(namespace, key)));
    },
  ],
  [
    Type.QUERY_STATE_NEXT,
    (_invocation, payload, queries) => queries.next(peer.QueryStateNext.deserializeBinary(payload).getId()),
  ],
  [
    Type.QUERY_STATE_CLOSE,
    (_invocation, payload, queries) => queries.close(peer.QueryStateClose.deserializeBinary(payload).getId()),
  ],
  [Type.INVOKE_CHAINCODE, invokeChaincode],
  [Type.GET_QUERY_RESULT, () => refuse(noRichQueries)],
  [
    Type.GET_PRIVATE_DATA_HASH,
    (invocation, payload) =>
      refuse(noPrivateData(invocation, peer.GetState.deserializeBinary(payload).getCollection())),
  ],
  [
    Type.PURGE_PRIVATE_DATA,
    (invocation, payload) =>
      refuse(noPrivateData(invocation, peer.PurgePrivateState.deserializeBinary(payload).getCollection())),
  ],
  [Type.GET_STATE_METADATA, () => refuse(noStateMetadata)],
  [Type.PUT_STATE_METADATA, () => refuse(noStateMetadata)],
]);

/** The response contains a `COMPLETED` message with the other chaincode's response. */
async function invokeChaincode(invocation: Invocation, payload: Uint8Array): Promise<Uint8Array> {
  const spec = peer.ChaincodeSpec.deserializeBinary(payload);
  const [full = '', channel = ''] = (spec.getChaincodeId()?.getName() ?? '').split('/');
  // The name may include a version, which a peer ignores in favor of the committed version.
  const name = full.split(':')[0] ?? '';
  const args = spec.getInput()?.getArgsList_asU8() ?? [];
  // This network has one channel. On a peer, the caller's rights on the other channel are checked first.
  if (channel !== '' && channel !== invocation.channel)
    refuse(`Failed to get policy manager for channel [${channel}]`);
  const answer = await invocation.invokeChaincode(name, args).catch((cause: unknown) => {
    const why = cause instanceof ChaincodeError ? cause.detail : textOf(cause);
    throw new Error(`execute failed: ${why}`);
  });
  const response = new peer.Response();
  response.setStatus(answer.status);
  response.setMessage(answer.message);
  response.setPayload(answer.payload);
  const completed = new peer.ChaincodeMessage();
  completed.setType(Type.COMPLETED);
  completed.setPayload(response.serializeBinary());
  completed.setTxid(invocation.txId);
  completed.setChannelId(invocation.channel);
  return completed.serializeBinary();
}

function pageOf(metadata: Uint8Array): Page | undefined {
  if (metadata.length === 0) return undefined;
  const query = peer.QueryMetadata.deserializeBinary(metadata);
  if (query.getPagesize() <= 0) return undefined;
  return { size: query.getPagesize(), bookmark: query.getBookmark() };
}

function noCollection(invocation: Invocation, request: { getCollection(): string }): void {
  const collection = request.getCollection();
  if (collection !== '') refuse(noPrivateData(invocation, collection));
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function refuse(why: string): never {
  throw new Error(why);
}
