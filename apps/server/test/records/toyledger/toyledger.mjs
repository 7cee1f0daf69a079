// A plugin module for a technology that no other code knows. The first node answers GET with `{height, hash, executed:
// {[txId]: height}}`. The desk accepts the bytes of transactions by POST. Both require a secret.
import { createHash } from 'node:crypto';

const account = '^[A-Za-z0-9_-]{43}$';

export default {
  name: 'toyledger',
  technology: 'toyledger',
  version: '1.0.0',
  interfaceVersion: '0.1.0',
  keyType: 'ed25519',
  description: {
    title: 'Toy Ledger',
    namespace: 'toy',
    content: {
      schema: {
        type: 'object',
        properties: { tier: { enum: ['slow', 'fast'] } },
        additionalProperties: false,
      },
    },
    ledgerProperties: {
      type: 'object',
      properties: {
        colour: { enum: ['red', 'blue'] },
        desk_url: { type: 'string', format: 'uri', 'x-address': true },
        desk_key: { type: 'string', writeOnly: true },
      },
      required: ['colour', 'desk_url'],
      additionalProperties: false,
    },
    nodeProperties: {
      type: 'object',
      properties: { pass: { type: 'string', writeOnly: true }, shift: { type: 'integer', maximum: 3 } },
      additionalProperties: false,
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
  open: async ({ properties: { colour, desk_url: desk, desk_key: key }, nodes: [node] }) => {
    const { uri, properties: { pass = '' } = {} } = node;
    const state = async () => (await fetch(uri, { headers: { pass } })).json();
    const refuse = (code, phase, detail, pointer) => {
      const issues = pointer === undefined ? {} : { issues: [{ pointer, detail }] };
      return Object.assign(new Error(detail), {
        name: 'AdapterError',
        problem: { code, phase, detail, ...issues },
      });
    };
    const unsupported = async () => {
      throw refuse('unsupported-operation', 'check', 'The toy ledger does not support this.');
    };
    const addressOf = (text, pointer) => {
      if (new RegExp(account).test(text)) return text;
      throw refuse('invalid-argument', 'check', 'must be 43 characters of base64url', pointer);
    };
    return {
      chain: async () => ({ id: 'toy:one', genesis: 'a/b+c/d0123456789ABCDEFGH=' }),
      createWallet: async ({ publicKey, parameters: { shelf = 'none' } }) => ({
        done: true,
        result: { address: Buffer.from(publicKey).toString('base64url'), material: { shelf } },
      }),
      advanceWallet: unsupported,
      check: async ({ operation: { recipient, amount, native } }) => {
        const { tier = 'slow' } = native.content;
        const to = addressOf(recipient, '/recipient/resource');
        const plan = { to, amount: String(amount), tier, colour };
        return { plan, recipients: [to], readiness: 'ready', cost: amount };
      },
      estimate: async (requests) =>
        requests.map(({ plan }) => ({ status: 'ready', plan, cost: BigInt(plan.amount) })),
      prepare: async (requests) =>
        requests.map(({ actionId, wallet, plan }) => {
          const text = JSON.stringify({ from: wallet.address, ...plan, actionId });
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
        for (const { bytes } of submissions)
          await fetch(desk, { method: 'POST', headers: { key }, body: bytes });
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
