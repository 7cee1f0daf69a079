import type { AdapterDefinition, Json, ResolvedOperation } from '@ledger-ops/adapter';
import {
  type ConformanceHarness,
  createTestSigner,
  prepareAndSign,
} from '@ledger-ops/adapter-kit/conformance';
import { addressOfPublicKey, keyValueContract } from '@ledger-ops/adapter-kit/memory';
import { samplesFor } from '@ledger-ops/adapter-kit/memory-harness';

const native = { technology: 'memory', content: {} } as const;
const config = {
  ledgerId: 'memory',
  technology: 'memory',
  properties: { chain_id: '31337' },
  nodes: [],
};

/** Controls the ledger of the fixture `memory.ts`, in either process. */
export async function control(definition: AdapterDefinition, ...what: Json[]): Promise<Json> {
  const { interface: text } = await definition.readInterface(`control:${JSON.stringify(what)}`);
  return JSON.parse(text);
}

async function deployStore(definition: AdapterDefinition): Promise<string> {
  const signer = createTestSigner('secp256k1', new Uint8Array(32).fill(9));
  const wallet = { address: addressOfPublicKey(signer.publicKey) };
  await control(definition, 'fund', wallet.address, '1000000000');
  const signal = new AbortController().signal;
  const session = await definition.open(config, { now: Date.now, log: () => undefined, signal });
  const operation: ResolvedOperation = {
    type: 'contract_deploy',
    source: keyValueContract,
    args: [],
    value: 0n,
    native: { ...native, content: { gasLimit: '21000' } },
  };
  const { plan } = await session.check({ wallet, operation });
  const request = { actionId: 'deployment of the store', wallet, plan, sequence: 0n };
  await session.submit(await prepareAndSign(session, request, signer.sign));
  await control(definition, 'mine', 1);
  await session.close();
  return String(await control(definition, 'lastContract'));
}

/** Creates a harness on a new ledger in the process of the fixture `memory.ts`. */
export async function openChildHarness(definition: AdapterDefinition): Promise<ConformanceHarness> {
  await control(definition, 'renew');
  const privateKey = new Uint8Array(32).fill(7);
  const signer = createTestSigner('secp256k1', privateKey);
  await control(definition, 'fund', addressOfPublicKey(signer.publicKey), '1000000000000');
  const key = Buffer.from(privateKey).toString('hex');
  const store = await deployStore(definition);
  const order = (...what: Json[]) => control(definition, ...what).then(() => undefined);
  return {
    ledger: config,
    signer,
    samples: samplesFor(store),
    hooks: {
      mine: (blocks) => order('mine', blocks),
      goDown: () => order('goDown'),
      comeUp: () => order('comeUp'),
      hang: () => order('hang'),
      reorganise: (depth) => order('reorganise', depth),
      outsideTransaction: (sequence) => order('outsideTransaction', key, sequence.toString()),
      executions: async (txId) => Number(await control(definition, 'executions', txId)),
    },
    close: () => order('clear'),
  };
}
