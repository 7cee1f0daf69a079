import { type AdapterDefinition, adapterError, type Checked, type LedgerSession } from '@ledger-ops/adapter';
import { type Mutant, recipient } from './mutant.ts';

const frozen = (change: (definition: AdapterDefinition) => Partial<AdapterDefinition>) => ({
  definition: (definition: AdapterDefinition) => Object.freeze({ ...definition, ...change(definition) }),
});
const anything: Checked = { plan: {}, recipients: [], readiness: 'ready', cost: 0n };
/** Faults in definitions, sessions, wallets and checks, by the name of the check that must find them. */
export const mutantsBeforeSigning: Readonly<Record<string, Mutant>> = {
  'a host accepts the name, technology, versions and capabilities of the definition': {
    fault: 'the name contains spaces',
    ...frozen(() => ({ name: 'My Adapter' })),
  },
  'the definition was written for an interface version that this package supports': {
    fault: "the interface version is newer than the kit's",
    ...frozen(() => ({ interfaceVersion: '9.0.0' })),
  },
  'the description of the technology is valid and is plain JSON': {
    fault: 'a secret property is not a string',
    ...frozen(({ description }) => ({
      description: {
        ...description,
        ledgerProperties: {
          type: 'object',
          properties: { pin: { type: 'integer', writeOnly: true } },
          additionalProperties: false,
        },
      },
    })),
  },
  'examples and defaults of the description match their schemas': {
    fault: 'a nested example is longer than its schema allows',
    ...frozen(({ description }) => ({
      description: {
        ...description,
        ledgerProperties: {
          type: 'object',
          properties: {
            desks: { type: 'array', items: { type: 'string', maxLength: 2, examples: ['ok', 'long'] } },
            pin: { type: 'string', writeOnly: true, default: '1234' },
          },
          additionalProperties: false,
        },
      },
    })),
  },
  "a wallet's address matches the pattern of the description": {
    fault: "the address pattern does not match the wallet's address",
    ...frozen(({ description }) => ({
      description: { ...description, addresses: { account: { pattern: '^[a-z]+$', example: 'alice' } } },
    })),
  },
  'the definition is frozen': {
    fault: 'the definition is not frozen',
    definition: (definition) => ({ ...definition }),
  },
  'the capabilities are complete and do not contradict each other': {
    fault: 'an operation is declared twice',
    ...frozen(({ capabilities }) => ({
      capabilities: { ...capabilities, operations: [...capabilities.operations, 'transfer'] },
    })),
  },
  'a contract interface is parsed into methods, and parsing its normalized text returns the same methods': {
    fault: 'the normalized text grows each time it is read',
    ...frozen((definition) => ({
      async readInterface(text) {
        const read = await definition.readInterface(text);
        return { ...read, interface: `${text} ` };
      },
    })),
  },
  'a string that is not a contract interface is rejected as an invalid argument, with issues': {
    fault: 'any string is accepted as an interface',
    ...frozen(() => ({ readInterface: async (text) => ({ interface: text, methods: [] }) })),
  },
  'every session of a ledger returns the same chain and genesis': {
    fault: 'each call returns another genesis',
    session: (session, { count }) => ({
      chain: async () => ({ ...(await session.chain()), genesis: `0x${count()}` }),
    }),
  },
  'a session opens while the ledger is down, reports unavailable, and works when the ledger is back': {
    fault: 'open() requires the ledger to respond',
    definition: (definition) =>
      Object.freeze({
        ...definition,
        async open(...given: Parameters<AdapterDefinition['open']>) {
          const session = await definition.open(...given);
          await session.chain();
          return session;
        },
      }),
  },
  'an open session survives an outage and loses nothing that was submitted before': {
    fault: 'submit() returns accepted while the ledger is down',
    session: (session) => ({
      submit: (all) => session.submit(all).catch(() => all.map(({ txId }) => ({ txId, status: 'accepted' }))),
    }),
  },
  'calls after close() are rejected, and closing twice is not an error': {
    fault: 'close() does nothing',
    session: () => ({ close: async () => undefined }),
  },
  "aborting the host's signal ends a session, as close() does": {
    fault: "the host's signal is ignored",
    definition: (definition) =>
      Object.freeze({
        ...definition,
        open: (...[config, host]: Parameters<AdapterDefinition['open']>) =>
          definition.open(config, { ...host, signal: new AbortController().signal }),
      }),
  },
  'close() ends a call to which the ledger does not respond': {
    fault: 'close() does not end pending calls',
    session: () => ({ close: async () => undefined }),
  },
  'createWallet() with the same public key returns the same JSON wallet in every session': {
    fault: 'the address is random',
    session: (_, { count }) => ({
      createWallet: async () => ({
        done: true,
        result: { address: `0x${count().toString().padStart(40, '0')}` },
      }),
    }),
  },
  "a wallet's address is normalized": {
    fault: 'the address is in upper case',
    session: () => ({
      createWallet: async () => ({ done: true, result: { address: `0x${'AB'.repeat(20)}` } }),
    }),
  },
  'a public key that is not on the curve is rejected as an invalid argument': {
    fault: 'any bytes are accepted as a public key',
    session: () => ({ createWallet: async () => ({ done: true, result: { address: recipient } }) }),
  },
  'equal addresses have the same normalized form, and invalid addresses are rejected': {
    fault: 'any string is accepted as an address',
    session: () => ({ normaliseAddress: async (address) => address }),
  },
  'check() of a valid operation returns a JSON plan, a cost and normalized recipients': {
    fault: 'the plan contains a bigint',
    session: (session) => ({
      async check(request) {
        const checked = await session.check(request);
        // The type of a plan allows no bigint, but the compiler does not check what a JSON.parse reviver returns.
        const plan = JSON.parse(JSON.stringify(checked.plan), (name, value) =>
          name === 'value' ? BigInt(value) : value,
        );
        return { ...checked, plan };
      },
    }),
  },
  'check() of a transfer returns the recipient, and a cost of at least the amount': {
    fault: 'the recipient is missing',
    session: (session) => ({
      check: async (request) => ({ ...(await session.check(request)), recipients: [] }),
    }),
  },
  'check() accepts a call to a contract that is not deployed yet, but the plan of this call cannot be prepared':
    {
      fault: 'a call without a target is prepared and signed',
      session: (session) => ({
        async check(request) {
          const { operation } = request;
          if (operation.type !== 'contract_call' || operation.contract.address !== null)
            return session.check(request);
          const { native } = operation;
          return session.check({
            ...request,
            operation: { type: 'transfer', recipient: request.wallet.address, amount: 0n, native },
          });
        },
      }),
    },
  'check() changes nothing on the ledger': {
    fault: 'check() executes a transaction',
    session: (session, { meddle }) => ({
      async check(request) {
        meddle(1n);
        return session.check(request);
      },
    }),
  },
  'each invalid sample operation is rejected with the expected code and position': {
    fault: 'check() accepts every operation',
    session: (session) => ({ check: (request) => session.check(request).catch(() => anything) }),
  },
  'an operation whose meta names another sender is rejected as wrong-sender': {
    fault: 'the sender in meta is ignored',
    session: withoutNative('from'),
  },
  'an operation whose meta names another chain is rejected as wrong-chain': {
    fault: 'the chain in meta is ignored',
    session: withoutNative('chainId'),
  },
  'check() returns the sequence that meta requires': {
    fault: 'the sequence in meta is ignored',
    session: withoutNative('nonce'),
  },
  'a method that the contract does not have is rejected as unknown-method': {
    fault: 'an unknown method is reported as reverted',
    session: (session) => ({
      check: (request) =>
        session.check(request).catch(() => {
          throw adapterError('reverted', 'The contract rejects it for an unknown reason.', {
            phase: 'check',
          });
        }),
    }),
  },
  'a wrong number of arguments is rejected as an invalid argument at /args': {
    fault: 'the problem has no position',
    session: (session) => ({
      check: (request) =>
        session.check(request).catch(() => {
          throw adapterError('invalid-argument', 'Something is wrong.', { phase: 'check' });
        }),
    }),
  },
  'an undeclared operation is rejected as unsupported-operation': {
    fault: 'undeclared operations are accepted',
    fewPowers: true,
    session: (session) => ({ check: (request) => session.check(request).catch(() => anything) }),
  },
};

function withoutNative(member: 'from' | 'chainId' | 'nonce') {
  return (session: LedgerSession): Partial<LedgerSession> => ({
    check({ wallet, operation }) {
      const { native } = operation;
      const { [member]: _, ...content } = native.content;
      return session.check({ wallet, operation: { ...operation, native: { ...native, content } } });
    },
  });
}
