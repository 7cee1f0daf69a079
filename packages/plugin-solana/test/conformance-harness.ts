import type { ResolvedOperation } from '@ledger-ops/adapter';
import { type ConformanceHarness, createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { startProxy } from '@ledger-ops/devnet';
import type { SolanaLedger } from '@ledger-ops/devnet-solana';
import { getAddressDecoder } from '@solana/addresses';

/** An account with funds whose key nobody has. */
export const recipient = 'GbXWcA4VsdPM1XCeYCPNEXqVqfyVY1Cgo1CZ4qLpYqgr';
export const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const nobody = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

const solana = (content: ResolvedOperation['native']['content'] = {}) => ({ technology: 'solana', content });

export function transferOf(to: string, amount = 1000n): ResolvedOperation & { type: 'transfer' } {
  return { type: 'transfer', recipient: to, amount, native: solana() };
}

export const systemProgram = '11111111111111111111111111111111';

/** Instructions of the system program, whose discriminators have four bytes. */
export const systemIdl = JSON.stringify({
  address: systemProgram,
  metadata: { name: 'system', version: '1.0.0', spec: '0.1.0' },
  instructions: [
    {
      name: 'transfer',
      discriminator: [2, 0, 0, 0],
      accounts: [
        { name: 'from', writable: true, signer: true },
        { name: 'to', writable: true },
      ],
      args: [{ name: 'lamports', type: 'u64' }],
    },
  ],
});

/** Writes a memo, which must be UTF-8. */
export function memo(
  bytes: Uint8Array | string,
  content: ResolvedOperation['native']['content'] = {},
): ResolvedOperation & { type: 'contract_call' } {
  const data = Buffer.from(bytes).toString('base64');
  return {
    type: 'contract_call',
    contract: { address: memoProgram },
    value: 0n,
    native: solana({ instructions: [{ program: memoProgram, data }], ...content }),
  };
}

/** Gives an account lamports, in a separate block. */
export async function fund(ledger: SolanaLedger, address: string, lamports: number): Promise<void> {
  await ledger.rpc('requestAirdrop', [address, lamports]);
  await ledger.rpc('devnet_mine', [1]);
}

/** Creates the recipient's account on a ledger, which from then on makes blocks only on demand. */
export async function furnish(ledger: SolanaLedger): Promise<void> {
  await ledger.rpc('devnet_pause');
  await fund(ledger, recipient, 1_000_000_000);
}

/** Returns a deployment with the code of a program that every development ledger already has. */
export async function deploymentOf(
  ledger: SolanaLedger,
  program = memoProgram,
): Promise<ResolvedOperation & { type: 'contract_deploy' }> {
  const read = async (address: string) => {
    const { value } = await ledger.rpc<{ value: { data: [string, string] } }>('getAccountInfo', [
      address,
      { encoding: 'base64', commitment: 'confirmed' },
    ]);
    return Buffer.from(value.data[0], 'base64');
  };
  const data = await read(program);
  // Programs of the upgradeable loader only contain the address of their data account.
  const elf =
    data.length > 36 ? data : (await read(getAddressDecoder().decode(data.subarray(4)))).subarray(45);
  return {
    type: 'contract_deploy',
    source: { interface: '{"instructions": []}', code: elf.toString('base64') },
    args: [],
    value: 0n,
    native: solana(),
  };
}

/** Deployments by ledger, cached because the code of a program is long. */
const deployments = new WeakMap<SolanaLedger, ReturnType<typeof deploymentOf>>();

const signing = (address: string) => ({ address, signer: true });

const noText = Uint8Array.of(0xff, 0xfe);

/** Creates a harness on a prepared ledger. The harness can disturb the network. */
export async function openHarness(
  ledger: SolanaLedger,
  properties: ConformanceHarness['ledger']['properties'] = {},
): Promise<ConformanceHarness> {
  const proxy = await startProxy(ledger.url);
  // Each check has its own key, so that transactions left over from one check cannot be executed in another.
  const signer = createTestSigner('ed25519');
  const wallet = getAddressDecoder().decode(signer.publicKey);
  const [payer, second] = [createTestSigner('ed25519'), createTestSigner('ed25519')];
  await ledger.rpc('requestAirdrop', [getAddressDecoder().decode(payer.publicKey), 1_000_000_000]);
  await fund(ledger, wallet, 10_000_000_000);
  const deploying = deployments.get(ledger) ?? deploymentOf(ledger);
  deployments.set(ledger, deploying);
  const deploy = await deploying;
  return {
    ledger: {
      ...{ ledgerId: 'test', technology: 'solana', properties },
      nodes: [{ nodeId: 'one', uri: proxy.url }],
    },
    signer,
    samples: {
      transfer: transferOf(recipient),
      expiring: transferOf(recipient),
      call: {
        type: 'contract_call',
        contract: { address: systemProgram, interface: systemIdl },
        method: { name: 'transfer', args: [recipient, '5'] },
        value: 0n,
        native: solana(),
      },
      emitting: { operation: memo('Hello'), event: {} },
      deploy,
      steps: deploy,
      coSigned: {
        signers: [payer, second],
        payer: 0,
        operation: ([feePayer = '', other = '']) =>
          memo('Hello', {
            feePayer,
            signers: [other],
            instructions: [
              { program: memoProgram, data: 'SGVsbG8=', accounts: [signing(wallet), signing(other)] },
            ],
          }),
      },
      refusedCall: memo(noText),
      failing: memo(noText, { computeUnitLimit: 200_000, computeUnitPrice: 0 }),
      interfaces: {
        good: [
          '{"instructions": [{"name": "say", "accounts": [], "args": [{"name": "what", "type": "string"}]}]}',
        ],
        bad: ['', '[]', '{"instructions": [{}]}'],
      },
      invalid: [
        {
          why: 'a program that is not an ELF',
          operation: { ...deploy, source: { interface: '', code: 'AAAA' } },
          code: 'invalid-argument',
          pointer: '/contract_source',
        },
        {
          why: 'an argument of a deployment',
          operation: { ...deploy, args: ['1'] },
          code: 'invalid-argument',
          pointer: '/args',
        },
        {
          why: 'a recipient that is not an address',
          operation: transferOf('0x1234'),
          code: 'invalid-argument',
          pointer: '/recipient/resource',
        },
        {
          why: 'more than 64 bits of lamports',
          operation: transferOf(recipient, 2n ** 64n),
          code: 'invalid-argument',
          pointer: '/amount',
        },
        {
          why: 'a call without instructions',
          operation: { ...memo('Hello'), native: solana() },
          code: 'invalid-argument',
          pointer: '/native/instructions',
        },
        {
          why: 'unknown native content',
          operation: { ...transferOf(recipient), native: solana({ gasLimit: 1 }) },
          code: 'invalid-argument',
          pointer: '/native/gasLimit',
        },
        {
          why: 'an invalid account address in an instruction',
          operation: memo('Hello', {
            instructions: [{ program: memoProgram, accounts: [{ address: 'x' }] }],
          }),
          code: 'invalid-argument',
          pointer: '/native/instructions/0/accounts/0/address',
        },
        {
          why: 'a signer that is not a signing wallet',
          operation: memo('Hello', {
            instructions: [{ program: memoProgram, accounts: [{ address: nobody, signer: true }] }],
          }),
          code: 'invalid-argument',
          pointer: '/native/instructions/0/accounts/0/signer',
        },
      ],
      addresses: {
        good: [{ given: nobody, normal: nobody }],
        bad: ['0x12', `${nobody} `, `${nobody}1`, nobody.replace('9', '0')],
      },
    },
    hooks: {
      mine: async (blocks) => {
        await ledger.rpc('devnet_mine', [blocks]);
      },
      goDown: () => proxy.goDown(),
      comeUp: () => proxy.comeUp(),
      async hang() {
        proxy.setFault(async (_calls, _forward, response) => {
          await new Promise((resolve) => response.once('close', resolve));
          return undefined;
        });
      },
      async reorganise(depth) {
        await ledger.rpc('devnet_fork', [depth]);
      },
      async executions(txId) {
        return (await ledger.rpc('getTransaction', [
          txId,
          { commitment: 'confirmed', maxSupportedTransactionVersion: 0 },
        ])) === null
          ? 0
          : 1;
      },
    },
    close: () => proxy.close(),
  };
}
