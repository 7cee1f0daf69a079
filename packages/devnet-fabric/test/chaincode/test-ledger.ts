import { common, msp, peer } from '@hyperledger/fabric-protos';
import timestamps from 'google-protobuf/google/protobuf/timestamp_pb.js';
import type {
  ChaincodeConnection,
  ChaincodeResponse,
  Invocation,
  KeyModification,
  Simulator,
} from '../../src/chaincode/types.ts';

/** A caller: an MSP id and a certificate (PEM). */
export interface Caller {
  mspId: string;
  certificate: string;
}

/**
 * An in-memory state for chaincode tests. Each successful call is a transaction that is committed
 * immediately.
 */
export interface TestLedger {
  /** Calls a chaincode. A failed call, or a call through `evaluate`, writes nothing. */
  submit(chaincode: string, input: readonly Argument[], more?: CallOptions): Promise<ChaincodeResponse>;
  evaluate(chaincode: string, input: readonly Argument[], more?: CallOptions): Promise<ChaincodeResponse>;
}

/** A function name or an argument. */
export type Argument = string | Uint8Array;

export interface CallOptions {
  caller?: Caller;
  transient?: Readonly<Record<string, string>>;
  txId?: string;
  isInit?: boolean;
}

/** Creates an empty state for these chaincodes. */
export function createTestLedger(
  connections: Readonly<Record<string, ChaincodeConnection>>,
  caller: Caller,
): TestLedger {
  const state = new Map<string, Uint8Array>();
  const past: (KeyModification & { at: string })[] = [];
  let count = 0;

  const run = async (
    chaincode: string,
    input: readonly Argument[],
    options: CallOptions,
    commit: boolean,
  ): Promise<ChaincodeResponse> => {
    count++;
    const txId = options.txId ?? `tx${count}`;
    const writes = new Map<string, Uint8Array | undefined>();
    const at = (namespace: string, key: string) => `${namespace} ${key}`;
    const simulator: Simulator = {
      getState: (namespace, key) => state.get(at(namespace, key)),
      putState: (namespace, key, value) => void writes.set(at(namespace, key), value),
      deleteState: (namespace, key) => void writes.set(at(namespace, key), undefined),
      *range(namespace, startKey, endKey) {
        const prefix = at(namespace, '');
        const keys = [...state.keys()]
          .filter((one) => one.startsWith(prefix))
          .map((one) => one.slice(prefix.length));
        for (const key of keys.sort()) {
          const value = state.get(at(namespace, key));
          if (key >= startKey && (endKey === '' || key < endKey) && value !== undefined) yield { key, value };
        }
      },
      history: (namespace, key) => past.filter((one) => one.at === at(namespace, key)).reverse(),
    };
    const call = async (name: string, args: readonly Argument[]): Promise<ChaincodeResponse> => {
      const connection = connections[name];
      if (connection === undefined) throw new Error(`chaincode ${name} not found`);
      const invocation: Invocation = {
        channel: 'channel1',
        txId,
        namespace: name,
        input: args.map((one) => (typeof one === 'string' ? new TextEncoder().encode(one) : one)),
        signedProposal: proposal(txId, options.caller ?? caller, options.transient ?? {}),
        simulator,
        invokeChaincode: (other, otherArgs) => call(other, otherArgs),
        isInit: options.isInit ?? false,
      };
      return connection.execute(invocation);
    };
    const response = await call(chaincode, input);
    if (!commit || response.status >= 400) return response;
    for (const [key, value] of writes) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
      const isDelete = value === undefined;
      past.push({
        at: key,
        txId,
        timestamp: new Date(count * 1000),
        isDelete,
        value: value ?? new Uint8Array(),
      });
    }
    return response;
  };

  return {
    submit: (chaincode, input, options = {}) => run(chaincode, input, options, true),
    evaluate: (chaincode, input, options = {}) => run(chaincode, input, options, false),
  };
}

/** Returns the bytes of `protos.SignedProposal` without a signature, which chaincode does not verify. */
function proposal(txId: string, caller: Caller, transient: Readonly<Record<string, string>>): Uint8Array {
  const identity = new msp.SerializedIdentity();
  identity.setMspid(caller.mspId);
  identity.setIdBytes(new TextEncoder().encode(caller.certificate));
  const channelHeader = new common.ChannelHeader();
  channelHeader.setType(common.HeaderType.ENDORSER_TRANSACTION);
  channelHeader.setChannelId('channel1');
  channelHeader.setTxId(txId);
  channelHeader.setTimestamp(timestamps.Timestamp.fromDate(new Date()));
  const signatureHeader = new common.SignatureHeader();
  signatureHeader.setCreator(identity.serializeBinary());
  signatureHeader.setNonce(new TextEncoder().encode(txId));
  const header = new common.Header();
  header.setChannelHeader(channelHeader.serializeBinary());
  header.setSignatureHeader(signatureHeader.serializeBinary());
  const payload = new peer.ChaincodeProposalPayload();
  const specification = new peer.ChaincodeInvocationSpec();
  specification.setChaincodeSpec(new peer.ChaincodeSpec());
  payload.setInput(specification.serializeBinary());
  for (const [name, value] of Object.entries(transient))
    payload.getTransientmapMap().set(name, new TextEncoder().encode(value));
  const bare = new peer.Proposal();
  bare.setHeader(header.serializeBinary());
  bare.setPayload(payload.serializeBinary());
  const signed = new peer.SignedProposal();
  signed.setProposalBytes(bare.serializeBinary());
  return signed.serializeBinary();
}
