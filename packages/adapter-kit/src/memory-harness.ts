import type { ResolvedOperation } from '@ledger-ops/adapter';
import type { NativeContent } from '@ledger-ops/glo-core';
import {
  type ConformanceHarness,
  createTestSigner,
  prepareAndSign,
  type SampleOperations,
} from './conformance/index.ts';
import {
  addressOfPublicKey,
  counterContract,
  createMemoryLedger,
  keyValueContract,
  type MemoryLedger,
  memoryAdapter,
  systemContract,
} from './memory/index.ts';

const native: NativeContent = { technology: 'memory', content: {} };
const withGas: NativeContent = { technology: 'memory', content: { gasLimit: '21000' } };
const recipient = `0x${'ab'.repeat(20)}`;

/** Deploys a key/value store contract from a separate account. */
async function deployStore(ledger: MemoryLedger): Promise<string> {
  const signer = createTestSigner(ledger.keyType, new Uint8Array(32).fill(9));
  const wallet = { address: addressOfPublicKey(signer.publicKey) };
  ledger.fund(wallet.address, 10n ** 9n);
  const config = { ledgerId: 'memory', technology: 'memory', properties: {}, nodes: [] };
  const host = { now: Date.now, log: () => undefined, signal: new AbortController().signal };
  const session = await memoryAdapter(ledger).open(config, host);
  const operation: ResolvedOperation = {
    type: 'contract_deploy',
    source: keyValueContract,
    args: [],
    value: 0n,
    native: withGas,
  };
  const { plan } = await session.check({ wallet, operation });
  // Deploys in one transaction, even if deployments on this ledger usually take several.
  const request = { actionId: 'deployment of the store', wallet, plan: { ...plan, ahead: 0 } };
  const sequenced = ledger.sequence === 'account' ? { ...request, sequence: 0n } : request;
  const attempts = await prepareAndSign(session, sequenced, signer.sign);
  await session.submit(attempts);
  ledger.mine();
  await session.close();
  const execution = ledger.transactions.at(-1)?.execution;
  if (execution?.contractAddress === undefined) throw new Error('the store was not deployed');
  return execution.contractAddress;
}

/** Sample operations for a ledger with a key/value store. */
export function samplesFor(store: string): SampleOperations {
  const call = (name: string, args: string[]) =>
    ({
      type: 'contract_call',
      contract: { address: store, interface: keyValueContract.interface },
      method: { name, args },
      value: 0n,
      native,
    }) as const;
  const transfer = { type: 'transfer', recipient, amount: 5n, native } as const;
  const deploy = {
    type: 'contract_deploy',
    source: counterContract,
    args: ['3'],
    value: 0n,
    native,
  } as const;
  return {
    transfer,
    call: call('set', ['key', 'value']),
    emitting: {
      operation: call('set', ['key', 'told']),
      event: { name: 'ValueSet', args: { key: 'key', value: 'told' } },
    },
    deploy: { ...deploy, args: ['3'] },
    content: {
      otherSender: { from: recipient },
      otherChain: { chainId: '987654321' },
      sequence: { content: { nonce: '77' }, sequence: 77n },
    },
    secret: {
      operation: {
        ...transfer,
        native: { technology: 'memory', content: { transient: { price: 'c2VjcmV0' } } },
      },
      text: 'c2VjcmV0',
    },
    refusedCall: call('fail', ['out of stock']),
    systemCall: { ...call('height', []), contract: { address: systemContract } },
    failing: { ...call('fail', ['out of stock']), native: withGas },
    view: { operation: call('get', ['nothing']), result: null },
    invalid: [
      {
        why: 'a recipient that is not an address',
        operation: { ...transfer, recipient: '0x12' },
        code: 'invalid-argument',
        pointer: '/recipient/resource',
      },
      {
        why: 'an amount that no ledger can hold',
        operation: { ...transfer, amount: 1n << 256n },
        code: 'invalid-argument',
        pointer: '/amount',
      },
      {
        why: 'an invalid contract address',
        operation: { ...call('set', ['a', 'b']), contract: { address: 'store' } },
        code: 'invalid-argument',
        pointer: '/contract_instance/resource',
      },
      {
        why: 'an argument of another type',
        operation: call('put(string,uint)', ['a', 'minus one']),
        code: 'invalid-argument',
        pointer: '/args/1',
      },
      { why: 'an overloaded name', operation: call('put', ['a', '1']), code: 'ambiguous-method' },
      {
        why: 'constructor arguments that do not match',
        operation: { ...deploy, args: [] },
        code: 'invalid-argument',
        pointer: '/args',
      },
    ],
    interfaces: {
      good: [keyValueContract.interface, counterContract.interface],
      bad: ['[]', '{"methods":[{"name":"no good"}]}', '{"methods":[{"name":"a"},{"name":"a"}]}'],
    },
    addresses: {
      good: [{ given: recipient.toUpperCase().replace('0X', '0x'), normal: recipient }],
      bad: ['0x12', `0x${'zz'.repeat(20)}`, `${recipient}00`],
    },
  };
}

/** Creates a harness on a memory ledger that mines only on request. */
export async function openMemoryHarness(ledger: MemoryLedger): Promise<ConformanceHarness> {
  const signer = createTestSigner(ledger.keyType, new Uint8Array(32).fill(7));
  ledger.fund(addressOfPublicKey(signer.publicKey), 10n ** 12n);
  const store = await deployStore(ledger);
  const { deploy, ...others } = samplesFor(store);
  const payer = createTestSigner(ledger.keyType, new Uint8Array(32).fill(11));
  const signers = [payer, createTestSigner(ledger.keyType, new Uint8Array(32).fill(12))];
  ledger.fund(addressOfPublicKey(payer.publicKey), 10n ** 12n);
  const coSigned: SampleOperations['coSigned'] & {} = {
    signers,
    payer: 0,
    operation: ([first = '', second = '']) => ({
      type: 'contract_call',
      contract: { address: store, interface: keyValueContract.interface },
      method: { name: 'set', args: ['key', 'of several'] },
      value: 0n,
      native: { technology: 'memory', content: { payer: first, signers: [second] } },
    }),
  };
  const samples: SampleOperations = {
    ...others,
    ...(ledger.sequence === 'none' ? { coSigned } : {}),
    ...(deploy === undefined ? {} : { deploy }),
    ...(ledger.expiry === undefined ? {} : { expiring: others.transfer }),
    ...(deploy === undefined || ledger.deploySteps === 1 ? {} : { steps: deploy }),
  };
  return {
    ledger: { ledgerId: 'memory', technology: 'memory', properties: { chain_id: '31337' }, nodes: [] },
    signer,
    samples,
    hooks: {
      mine: async (blocks) => void ledger.mine(blocks),
      goDown: async () => ledger.goDown(),
      comeUp: async () => ledger.comeUp(),
      hang: async () => void ledger.script({ kind: 'hang', method: 'confirm' }),
      reorganise: async (depth) => void ledger.reorganise(depth, 'vanish'),
      ...(ledger.sequence === 'account'
        ? {
            raiseFees: async () => {
              ledger.gasPrice *= 3n;
            },
            forget: async () => ledger.forgetPool(),
          }
        : {}),
      outsideTransaction: async (sequence) =>
        void ledger.outsideTransaction({ privateKey: signer.privateKey, sequence }),
      ...(ledger.sequence === 'none'
        ? {
            invalidate: async () => void ledger.script({ kind: 'invalidate' }),
            rejectForCertain: async () => void ledger.script({ kind: 'rejectForCertain' }),
          }
        : {}),
      balance: async (address) => ledger.balanceOf(address),
      executions: async (txId) => ledger.executions({ txId }),
    },
    close: async () => ledger.misbehaviours.clear(),
  };
}

/** Creates a ledger that mines only on request, as {@link openMemoryHarness} requires. */
export function harnessLedger(options: Parameters<typeof createMemoryLedger>[0] = {}): MemoryLedger {
  return createMemoryLedger({ autoMine: false, ...options });
}
