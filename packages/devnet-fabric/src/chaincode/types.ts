/**
 * The interface between the network (which simulates, orders and validates) and the chaincode runtime. A
 * namespace is a chaincode's name; each namespace has its own keys.
 */

/** One entry of a range. */
export interface KeyValue {
  key: string;
  value: Uint8Array;
}

/** One former value of a key, as returned by `GetHistoryForKey`. */
export interface KeyModification {
  txId: string;
  /** Time at which the client proposed the transaction, by the client's clock (its channel header). */
  timestamp: Date;
  isDelete: boolean;
  /** Empty if the key was deleted. */
  value: Uint8Array;
}

/** The read and write set of one transaction on one snapshot of the state. */
export interface Simulator {
  /** Returns the committed value. In Fabric, a transaction cannot read its own writes. */
  getState(namespace: string, key: string): Uint8Array | undefined;
  putState(namespace: string, key: string, value: Uint8Array): void;
  deleteState(namespace: string, key: string): void;
  /**
   * Committed keys from `startKey` (inclusive) to `endKey` (exclusive); an empty end means no limit. Sorted
   * by UTF-8 bytes.
   */
  range(namespace: string, startKey: string, endKey: string): Iterable<KeyValue>;
  /** Valid writes of a key, newest first. */
  history(namespace: string, key: string): Iterable<KeyModification>;
}

/** One call to a chaincode. */
export interface Invocation {
  channel: string;
  txId: string;
  /** The chaincode's name. */
  namespace: string;
  /** The function's name and its arguments. */
  input: Uint8Array[];
  /** The bytes of `protos.SignedProposal`, which contains the creator, the time and the transient data. */
  signedProposal: Uint8Array;
  simulator: Simulator;
  /** Calls another chaincode in the same transaction. */
  invokeChaincode(name: string, args: Uint8Array[]): Promise<ChaincodeResponse>;
  isInit: boolean;
}

/** A status below 400 is a success; a peer endorses only successes. */
export interface ChaincodeResponse {
  status: number;
  message: string;
  payload: Uint8Array;
  event?: { name: string; payload: Uint8Array };
}

/**
 * One organization's connection to one chaincode. `execute` rejects if the chaincode cannot be reached,
 * exceeds its time limit or ends during the call. If the chaincode itself returns an error, the response has
 * the error's status.
 */
export interface ChaincodeConnection {
  execute(invocation: Invocation): Promise<ChaincodeResponse>;
  close(): Promise<void>;
}
