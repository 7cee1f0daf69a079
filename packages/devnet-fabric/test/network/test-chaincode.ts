import { peer } from '@hyperledger/fabric-protos';
import type { ChaincodeResponse, Invocation } from '../../src/chaincode/types.ts';
import type { ConnectChaincode } from '../../src/peer/chaincodes.ts';

/** A chaincode's functions by name. An exception becomes a response with status 500. */
export type TestFunctions = Record<
  string,
  (invocation: Invocation, args: string[]) => Promise<TestAnswer> | TestAnswer
>;

type TestAnswer = string | Partial<ChaincodeResponse> | undefined;

/** Runs chaincode in the test process. The package's address is `test:<port>`. */
export function inProcess(functions: TestFunctions): ConnectChaincode {
  return () => ({
    async execute(invocation) {
      const [name = '', ...args] = invocation.input.map((one) => Buffer.from(one).toString());
      const call = functions[name];
      if (call === undefined) return refused(`unknown function ${name}`);
      try {
        const answer = await call(invocation, args);
        const fields = typeof answer === 'string' ? { payload: Buffer.from(answer) } : answer;
        return { status: 200, message: '', payload: new Uint8Array(), ...fields };
      } catch (error) {
        if (error instanceof Broken) throw error;
        return refused(error instanceof Error ? error.message : String(error));
      }
    },
    close: async () => undefined,
  });
}

/** Thrown by a test function to simulate a crash of the chaincode instead of an error response. */
export class Broken extends Error {}

/** Functions that most tests use. */
export const keyValue: TestFunctions = {
  put({ simulator, namespace }, [key = '', value = '']) {
    simulator.putState(namespace, key, Buffer.from(value));
    return { payload: Buffer.from(value), event: { name: 'put', payload: Buffer.from(key) } };
  },
  get({ simulator, namespace }, [key = '']) {
    const value = simulator.getState(namespace, key);
    if (value === undefined) throw new Error(`no ${key}`);
    return Buffer.from(value).toString();
  },
  remove({ simulator, namespace }, [key = '']) {
    simulator.deleteState(namespace, key);
    return undefined;
  },
  increment({ simulator, namespace }, [key = '']) {
    const next = String(Number(Buffer.from(simulator.getState(namespace, key) ?? []).toString()) + 1);
    simulator.putState(namespace, key, Buffer.from(next));
    return next;
  },
  list({ simulator, namespace }, [start = '', end = '', written]) {
    const keys = [...simulator.range(namespace, start, end)].map(({ key }) => key);
    if (written !== undefined) simulator.putState(namespace, written, Buffer.from(String(keys.length)));
    return JSON.stringify(keys);
  },
  history({ simulator, namespace }, [key = '']) {
    return JSON.stringify(
      [...simulator.history(namespace, key)].map(({ txId, isDelete, value }) => ({
        ...{ txId, isDelete },
        value: Buffer.from(value).toString(),
      })),
    );
  },
  transient({ signedProposal }) {
    const proposal = peer.Proposal.deserializeBinary(
      peer.SignedProposal.deserializeBinary(signedProposal).getProposalBytes_asU8(),
    );
    const payload = peer.ChaincodeProposalPayload.deserializeBinary(proposal.getPayload_asU8());
    return [...payload.getTransientmapMap().keys()].join();
  },
  random: () => String(Math.random()),
  fail: (_, [why = 'as asked']) => {
    throw new Error(why);
  },
  async call({ invokeChaincode }, [name = '', ...args]) {
    return await invokeChaincode(
      name,
      args.map((one) => Buffer.from(one)),
    );
  },
};

function refused(message: string): ChaincodeResponse {
  return { status: 500, message, payload: new Uint8Array() };
}
