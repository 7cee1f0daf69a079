import { type ConformanceHarness, createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { type Anvil, tokenTemplate } from '@ledger-ops/devnet';
import { getAddress, Wallet } from 'ethers';
import { startProxy } from './proxy.ts';
import {
  call,
  contracts,
  deploy,
  ethereum,
  ethereumWith,
  keyOf,
  ledgerOf,
  openSession,
  transfer,
} from './stage.ts';

const recipient = '0x00000000000000000000000000000000C0FFEE01';

/** Contracts on the node, by address. */
export interface Furniture {
  fixture: string;
  token: string;
}

/** Deploys contracts on a node, which from then on mines only on demand. */
export async function furnish(node: Anvil): Promise<Furniture> {
  const deployer = await openSession(ledgerOf([node.url]), keyOf(node, 9));
  const fixture = await deploy(deployer, contracts.Fixture, ['7', 'hello']);
  const token = await deploy(deployer, tokenTemplate, ['Token', 'TOK', '1000']);
  await deployer.session.close();
  await node.rpc('evm_setAutomine', [false]);
  return { fixture, token };
}

/** Creates a harness on a node with these contracts. The harness can disturb the network to the node. */
export async function openHarness(node: Anvil, { fixture, token }: Furniture): Promise<ConformanceHarness> {
  const proxy = await startProxy(node.url);
  // Each check has its own key, so that transactions left over from one check cannot be mined in another.
  const signer = createTestSigner('secp256k1');
  const outside = new Wallet(`0x${Buffer.from(signer.privateKey).toString('hex')}`);
  await node.rpc('anvil_setBalance', [outside.address, '0x56bc75e2d63100000']);
  let clock = Number(
    (await node.rpc<{ timestamp: string }>('eth_getBlockByNumber', ['latest', false])).timestamp,
  );
  return {
    ledger: ledgerOf([proxy.url], { chain_id: 31337 }),
    signer,
    samples: {
      transfer: transfer(recipient, 1000n),
      call: call(fixture, 'set', ['5']),
      emitting: {
        operation: call(token, 'transfer', [recipient, '0'], {
          contract: { address: token, interface: tokenTemplate.interface },
        }),
        event: { name: 'Transfer', args: { from: outside.address, to: getAddress(recipient), value: '0' } },
      },
      deploy: {
        type: 'contract_deploy',
        source: contracts.Fixture,
        args: ['1', 'x'],
        value: 0n,
        native: ethereum,
      },
      content: {
        otherSender: { from: recipient },
        otherChain: { chainId: '987654321' },
        sequence: { content: { nonce: '77' }, sequence: 77n },
      },
      refusedCall: call(fixture, 'failWithText', ['no']),
      failing: call(fixture, 'failWithText', ['no'], { native: ethereumWith({ gasLimit: 100_000n }) }),
      view: { operation: call(fixture, 'overloaded(uint256,uint256)', ['40', '2']), result: '42' },
      invalid: [
        {
          why: 'a recipient that is not an address',
          operation: transfer('0x1234'),
          code: 'invalid-argument',
          pointer: '/recipient/resource',
        },
        {
          why: 'an argument that is out of range',
          operation: call(fixture, 'set', ['-1']),
          code: 'invalid-argument',
          pointer: '/args/0',
        },
        {
          why: 'an ambiguous method name',
          operation: call(fixture, 'overloaded', ['1']),
          code: 'ambiguous-method',
        },
        {
          why: 'an address without a contract',
          operation: call(recipient, 'set', ['1']),
          code: 'unknown-contract',
        },
      ],
      interfaces: {
        good: [contracts.Fixture.interface, '["function set(uint256)", "error Bad(address who)"]'],
        bad: ['{}', '[{"type":"function"}]', '["nonsense"]'],
      },
      addresses: {
        good: [
          {
            given: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
            normal: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
          },
          {
            given: '0xF39FD6E51AAD88F6F4CE6AB8827279CFFFB92266',
            normal: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
          },
        ],
        bad: [
          '0xF39fd6e51aad88F6F4ce6aB8827279cffFb92266',
          'f39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          '0x12',
        ],
      },
    },
    hooks: {
      async mine(blocks) {
        for (let mined = 0; mined < blocks; mined += 1) {
          clock += 1;
          await node.rpc('evm_setNextBlockTimestamp', [clock]).catch(() => undefined);
          await node.rpc('evm_mine');
        }
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
        await node.rpc('anvil_rollback', [depth]);
        // Empty blocks with the same time would be identical.
        clock += 1000;
      },
      async raiseFees() {
        const { baseFeePerGas } = await node.rpc<{ baseFeePerGas: string }>('eth_getBlockByNumber', [
          'latest',
          false,
        ]);
        // Transactions offer twice the base fee and a tip of one gwei.
        const raised = 4n * BigInt(baseFeePerGas) + 4_000_000_000n;
        await node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${raised.toString(16)}`]);
        await node.rpc('evm_mine');
      },
      async forget() {
        await node.rpc('anvil_dropAllTransactions');
      },
      async outsideTransaction(sequence) {
        const bytes = await outside.signTransaction({
          type: 2,
          chainId: 31337,
          nonce: Number(sequence),
          to: outside.address,
          value: 1n,
          gasLimit: 21_000n,
          maxFeePerGas: 100_000_000_000n,
          maxPriorityFeePerGas: 2_000_000_000n,
        });
        await node.rpc('eth_sendRawTransaction', [bytes]);
      },
      async executions(txId) {
        return (await node.rpc('eth_getTransactionReceipt', [txId])) === null ? 0 : 1;
      },
    },
    close: () => proxy.close(),
  };
}
