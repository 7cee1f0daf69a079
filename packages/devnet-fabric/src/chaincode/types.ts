/**
 * The interface between the network (which simulates, orders and validates) and whatever runs a chaincode.
 * A namespace is a chaincode's name: each has keys of its own.
 */

/** One entry of a range. */
export interface KeyValue {
  key: string;
  value: Uint8Array;
}

/** One former value of a key, as `GetHistoryForKey` of Fabric answers it. */
export interface KeyModification {
  txId: string;
  /** When the transaction was proposed, by the client's clock (its channel header). */
  timestamp: Date;
  isDelete: boolean;
  /** Empty when the key was deleted. */
  value: Uint8Array;
}

/** The read and write set of one transaction over one snapshot of the state. */
export interface Simulator {
  /** The committed value, never one written by this transaction: Fabric has no read of one's own writes. */
  getState(namespace: string, key: string): Uint8Array | undefined;
  putState(namespace: string, key: string, value: Uint8Array): void;
  deleteState(namespace: string, key: string): void;
  /** Committed keys from `startKey` up to, but without, `endKey`; an empty end has no limit. Sorted by UTF-8 bytes. */
  range(namespace: string, startKey: string, endKey: string): Iterable<KeyValue>;
  /** Valid writes to a key, newest first. */
  history(namespace: string, key: string): Iterable<KeyModification>;
}

/** One call of a chaincode. */
export interface Invocation {
  channel: string;
  txId: string;
  /** The chaincode's name. */
  namespace: string;
  /** The function's name and its arguments. */
  input: Uint8Array[];
  /** The bytes of `protos.SignedProposal`: the creator, the time and the transient data are in there. */
  signedProposal: Uint8Array;
  simulator: Simulator;
  /** Calls another chaincode in the same transaction. On another channel its writes count for nothing. */
  invokeChaincode(name: string, channel: string, args: Uint8Array[]): Promise<ChaincodeResponse>;
  isInit: boolean;
}

/** Below 400 is a success; a peer endorses nothing else. */
export interface ChaincodeResponse {
  status: number;
  message: string;
  payload: Uint8Array;
  event?: { name: string; payload: Uint8Array };
}

/**
 * One organization's connection to one chaincode.
 * `execute` rejects when the chaincode cannot be reached, hangs past its deadline or dies in mid-call; what the
 * chaincode itself refuses is a response with its status.
 */
export interface ChaincodeConnection {
  execute(invocation: Invocation): Promise<ChaincodeResponse>;
  close(): Promise<void>;
}
