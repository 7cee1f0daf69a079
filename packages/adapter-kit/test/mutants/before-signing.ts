import { type AdapterDefinition, adapterError, type Checked, type LedgerSession } from '@ledger-ops/adapter';
import { type Mutant, recipient } from './mutant.ts';

const frozen = (change: (definition: AdapterDefinition) => Partial<AdapterDefinition>) => ({
  definition: (definition: AdapterDefinition) => Object.freeze({ ...definition, ...change(definition) }),
});
const anything: Checked = { plan: {}, recipients: [], readiness: 'ready', cost: 0n };
/** Faults of definitions, sessions, wallets and checks, by the name of the check that must find them. */
export const mutantsBeforeSigning: Readonly<Record<string, Mutant>> = {
  'the definition names itself, its technology and its versions in their forms': {
    fault: 'a name with spaces',
    ...frozen(() => ({ name: 'My Adapter' })),
  },
  'the definition was written for an interface version that this package describes': {
    fault: 'an interface version from the future',
    ...frozen(() => ({ interfaceVersion: '9.0.0' })),
  },
  'the description of the technology can be read, and is plain JSON': {
    fault: 'a secret property that is no text',
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
  'examples and defaults of the description fit the schemas that they stand in': {
    fault: 'an example, deep inside, that is longer than its schema allows',
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
  "a wallet's address has the form that the description gives": {
    fault: 'a pattern of other addresses',
    ...frozen(({ description }) => ({
      description: { ...description, addresses: { account: { pattern: '^[a-z]+$', example: 'alice' } } },
    })),
  },
  'the definition is frozen': {
    fault: 'a definition that anyone may change',
    definition: (definition) => ({ ...definition }),
  },
  'the capabilities are complete and do not contradict each other': {
    fault: 'replacement without sequences',
    ...frozen(({ capabilities }) => ({ capabilities: { ...capabilities, sequence: 'none' } })),
  },
  'a contract interface is read into methods, and its normalised text reads the same': {
    fault: 'a normal form that grows with each reading',
    ...frozen((definition) => ({
      async readInterface(text) {
        const read = await definition.readInterface(text);
        return { ...read, interface: `${text} ` };
      },
    })),
  },
  'a text that is no contract interface is refused as an invalid argument, with issues': {
    fault: 'any text is an interface',
    ...frozen(() => ({ readInterface: async (text) => ({ interface: text, methods: [] }) })),
  },
  'every session of a ledger says the same chain and the same genesis': {
    fault: 'another genesis with each call',
    session: (session, { count }) => ({
      chain: async () => ({ ...(await session.chain()), genesis: `0x${count()}` }),
    }),
  },
  'a session opens while the ledger is down, says unavailable, and works when it is back': {
    fault: 'open() that asks the ledger',
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
  'an open session outlives an outage, and loses nothing that was submitted before': {
    fault: 'accepted is said though the ledger is down',
    session: (session) => ({
      submit: (all) => session.submit(all).catch(() => all.map(({ txId }) => ({ txId, status: 'accepted' }))),
    }),
  },
  'calls after close() are refused, and closing twice is no mistake': {
    fault: 'close() that closes nothing',
    session: () => ({ close: async () => undefined }),
  },
  'the signal of the host ends a session as close() does': {
    fault: "the host's signal is ignored",
    definition: (definition) =>
      Object.freeze({
        ...definition,
        open: (...[config, host]: Parameters<AdapterDefinition['open']>) =>
          definition.open(config, { ...host, signal: new AbortController().signal }),
      }),
  },
  'close() ends a call that the ledger does not answer': {
    fault: 'close() that leaves calls hanging',
    session: () => ({ close: async () => undefined }),
  },
  'the same public key gives the same wallet in every session, as JSON': {
    fault: 'an address drawn by lot',
    session: (_, { count }) => ({
      createWallet: async () => ({
        done: true,
        result: { address: `0x${count().toString().padStart(40, '0')}` },
      }),
    }),
  },
  "a wallet's address is in its normal form": {
    fault: 'an address in capitals',
    session: () => ({
      createWallet: async () => ({ done: true, result: { address: `0x${'AB'.repeat(20)}` } }),
    }),
  },
  'a public key that is no point of the curve is refused as an invalid argument': {
    fault: 'any bytes are a public key',
    session: () => ({ createWallet: async () => ({ done: true, result: { address: recipient } }) }),
  },
  'addresses are normalised, once and for all, and texts that are none are refused': {
    fault: 'any text is an address',
    session: () => ({ normaliseAddress: async (address) => address }),
  },
  'a valid operation gets a plan that is JSON, a cost and normalised recipients': {
    fault: 'a bigint in the plan',
    session: (session) => ({
      async check(request) {
        const checked = await session.check(request);
        // JSON.parse with a reviver is how such a thing gets past the types.
        const plan = JSON.parse(JSON.stringify(checked.plan), (name, value) =>
          name === 'value' ? BigInt(value) : value,
        );
        return { ...checked, plan };
      },
    }),
  },
  'a transfer names its recipient, and costs at least its amount': {
    fault: 'a recipient is forgotten',
    session: (session) => ({
      check: async (request) => ({ ...(await session.check(request)), recipients: [] }),
    }),
  },
  'a call to a contract that is still to be deployed is checked, and its plan cannot be prepared': {
    fault: 'a call without a target becomes a plan that can be signed',
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
  'a check changes nothing on the ledger': {
    fault: 'check() executes something',
    session: (session, { meddle }) => ({
      async check(request) {
        meddle(1n);
        return session.check(request);
      },
    }),
  },
  'the operations that the harness calls invalid are refused, each with its code and place': {
    fault: 'everything is valid',
    session: (session) => ({ check: (request) => session.check(request).catch(() => anything) }),
  },
  'an operation whose meta names another sender is refused as wrong-sender': {
    fault: 'the sender in meta is ignored',
    session: withoutNative('from'),
  },
  'an operation whose meta names another chain is refused as wrong-chain': {
    fault: 'the chain in meta is ignored',
    session: withoutNative('chainId'),
  },
  'a sequence that meta demands is handed to the host': {
    fault: 'the sequence in meta is ignored',
    session: withoutNative('nonce'),
  },
  'a method that the contract does not have is refused as unknown-method': {
    fault: 'an unknown method is called a fault of the contract',
    session: (session) => ({
      check: (request) =>
        session.check(request).catch(() => {
          throw adapterError('reverted', 'The contract did not like it.', { phase: 'check' });
        }),
    }),
  },
  'a wrong number of arguments is refused as an invalid argument at /args': {
    fault: 'a refusal that does not say where',
    session: (session) => ({
      check: (request) =>
        session.check(request).catch(() => {
          throw adapterError('invalid-argument', 'Something does not fit.', { phase: 'check' });
        }),
    }),
  },
  'an operation that is not declared is refused as unsupported-operation': {
    fault: 'what is not declared is tried',
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
