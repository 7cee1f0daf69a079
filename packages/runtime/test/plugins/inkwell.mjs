// A plugin of an invented technology. Its ledger is a server at the first node's address: GET returns `{height, hash,
// executed: {[txId]: height}}`, and POST accepts the bytes of a transaction. Addresses and hashes are in base64, which
// is case-sensitive. Transaction ids are UUIDs.
import { createHash } from 'node:crypto';

const account = '^[A-Za-z0-9_-]{43}$';

export default {
  name: 'inkwell',
  technology: 'inkwell',
  version: '1.0.0',
  interfaceVersion: '0.1.0',
  keyType: 'ed25519',
  description: {
    title: 'Inkwell',
    namespace: 'ink',
    content: {
      schema: {
        type: 'object',
        properties: {
          payee: { type: 'string', pattern: account },
          drops: { format: 'quantity' },
          tier: { enum: ['slow', 'fast'] },
          seal: { type: 'string', maxLength: 64, writeOnly: true },
        },
        additionalProperties: false,
      },
      version: '^[12]$',
      currentVersion: '2',
      overrides: { address: 'payee', amount: 'drops' },
    },
    walletParameters: {
      type: 'object',
      properties: { shelf: { type: 'string', pattern: '^[a-z]{1,8}$' } },
      additionalProperties: false,
    },
    addresses: { account: { pattern: account, example: 'A'.repeat(43) } },
    unit: { symbol: 'DROP', decimals: 3 },
  },
  capabilities: {
    operations: ['transfer'],
    sequence: 'none',
    replacement: false,
    emulation: false,
    lookup: false,
    balance: true,
  },
  readInterface: async () => ({ interface: '', methods: [] }),
  open: async ({ nodes: [{ uri }] }) => {
    const state = async () => (await fetch(uri)).json();
    const refuse = (code, phase, detail, pointer) => {
      const issues = pointer === undefined ? {} : { issues: [{ pointer, detail }] };
      return Object.assign(new Error(detail), {
        name: 'AdapterError',
        problem: { code, phase, detail, ...issues },
      });
    };
    const unsupported = async () => {
      throw refuse('unsupported-operation', 'check', 'The ledger does not support this operation.');
    };
    const addressOf = (text, pointer) => {
      if (new RegExp(account).test(text)) return text;
      throw refuse('invalid-argument', 'check', 'must be 43 characters of base64url', pointer);
    };
    return {
      chain: async () => ({ id: 'ink:harbour/one', genesis: 'a/b+c/d0123456789ABCDEFGH=' }),
      createWallet: async ({ publicKey, parameters: { shelf = 'none' } }) => ({
        done: true,
        result: { address: Buffer.from(publicKey).toString('base64url'), material: { shelf } },
      }),
      advanceWallet: unsupported,
      check: async ({ operation: { recipient, amount, native } }) => {
        const { seal = '', tier = 'slow' } = native.content;
        const to = addressOf(recipient, '/recipient/resource');
        const plan = { to, amount: String(amount), tier, version: native.version ?? 'none' };
        return { plan, secret: { seal }, recipients: [to], readiness: 'ready', cost: amount };
      },
      estimate: async (requests) =>
        requests.map(({ plan }) => ({ status: 'ready', plan, cost: BigInt(plan.amount) })),
      prepare: async (requests) =>
        requests.map(({ actionId, wallet, plan, secret }) => {
          const seal = createHash('sha256').update(String(secret?.seal)).digest('base64url');
          const text = JSON.stringify({ from: wallet.address, ...plan, seal, actionId });
          const message = new TextEncoder().encode(text);
          const requests = [{ curve: 'ed25519', message }];
          return {
            status: 'prepared',
            attempts: [{ kind: 'main', round: { done: false, requests, state: text } }],
          };
        }),
      advance: async (advances) =>
        advances.map(({ state, signatures: [signature] }) => {
          const signed = JSON.stringify([state, Buffer.from(signature).toString('base64url')]);
          const hex = createHash('sha256').update(signed).digest('hex');
          const txId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
          const bytes = new TextEncoder().encode(JSON.stringify({ txId, signed }));
          return { done: true, result: { txId, bytes, cost: BigInt(JSON.parse(state).amount) } };
        }),
      submit: async (submissions) => {
        for (const { bytes } of submissions) await fetch(uri, { method: 'POST', body: bytes });
        return submissions.map(({ txId }) => ({ txId, status: 'accepted' }));
      },
      confirm: async ({ pending }) => {
        const { height, hash, executed } = await state();
        const outcomes = [...pending.keys()].flatMap((txId) =>
          executed[txId] === undefined
            ? []
            : [{ txId, status: 'succeeded', height: executed[txId], blockHash: hash }],
        );
        return { cursor: { height, hash }, head: { height, hash }, outcomes, reorganised: false };
      },
      onHead: (listener) => {
        const timer = setInterval(() => state().then(listener, () => undefined), 50);
        return () => clearInterval(timer);
      },
      sequences: unsupported,
      balances: async (addresses) => addresses.map(() => 1_000_000n),
      normaliseAddress: async (address) => addressOf(address, '/address'),
      emulate: unsupported,
      lookup: unsupported,
      close: async () => undefined,
    };
  },
};
